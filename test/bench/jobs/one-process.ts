import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHost, type Agent, type JobClient } from 'stepward'
import { createInProcessCosmos } from 'stepward/emulator'
import { worker } from './workload.js'

/** The settings of the process. */
export interface OneProcess {
  readonly slots: number
  readonly isThroughSdk: boolean
  /** Default: the agents of `workload`. */
  readonly agents?: readonly Agent[]
}

/** Calls `use` with a store on disk, every role and a client, all in this process. */
export async function inOneProcess<T>(
  { slots, isThroughSdk, agents = [worker] }: OneProcess,
  use: (client: JobClient) => Promise<T>,
): Promise<T> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'stepward-bench-'))
  const cosmos = createInProcessCosmos({ dataDirectory })
  const store = isThroughSdk ? { client: cosmos.client() } : { embedded: cosmos }
  const host = await startHost({ ...store, agents, slots })
  try {
    return await use(host.client)
  } finally {
    await host.stop()
    await cosmos.close()
    rmSync(dataDirectory, { recursive: true })
  }
}
