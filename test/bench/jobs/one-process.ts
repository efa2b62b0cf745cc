import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHost, type JobClient } from 'stepward'
import { createInProcessCosmos } from 'stepward/emulator'
import { worker } from './workload.js'

/** Calls `use` with a store on disk, every role and a client, all in this process. */
export async function inOneProcess<T>(
  slots: number,
  isThroughSdk: boolean,
  use: (client: JobClient) => Promise<T>,
): Promise<T> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'stepward-bench-'))
  const cosmos = createInProcessCosmos({ dataDirectory })
  const store = isThroughSdk ? { client: cosmos.client() } : { embedded: cosmos }
  const host = await startHost({ ...store, agents: [worker], slots })
  try {
    return await use(host.client)
  } finally {
    await host.stop()
    await cosmos.close()
    rmSync(dataDirectory, { recursive: true })
  }
}
