import { mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInProcessCosmos } from '../../src/emulator/index.js'
import { median, type Effort, type Figure, type Programs } from './figure.js'
import { anOrdersContainer, store } from './orders.js'
import { startEmulatorProcess } from './server-process.js'

/** Measures the time from the start of the built program to its first answer. */
export async function starts(
  { cli }: Programs,
  { loaded, starts: count }: Effort,
): Promise<readonly Figure[]> {
  const empty: number[] = []
  for (let start = 0; start < count; start += 1) empty.push(await secondsToAnswer(cli, []))
  const dataDirectory = mkdtempSync(join(tmpdir(), 'stepward-bench-'))
  const cosmos = createInProcessCosmos({ dataDirectory })
  const container = anOrdersContainer(cosmos.engine)
  for (let number = 0; number < loaded; number += 1) store(container, number)
  await cosmos.close()
  const full: number[] = []
  for (let start = 0; start < count; start += 1) {
    full.push(await secondsToAnswer(cli, ['--data', dataDirectory]))
  }
  rmSync(dataDirectory, { recursive: true })
  const documents = loaded.toLocaleString('en')
  return [
    { name: 'start to first answer', value: median(empty), unit: 's', target: { atMost: 0.5 } },
    { name: `restart with ${documents} documents`, value: median(full), unit: 's', target: { atMost: 1 } },
  ]
}

async function secondsToAnswer(cli: string, args: readonly string[]): Promise<number> {
  const started = performance.now()
  const server = await startEmulatorProcess(cli, args)
  await new Promise<void>((resolve, reject) => {
    get(server.endpoint, (answer) => answer.resume().on('end', resolve)).on('error', reject)
  })
  const elapsed = performance.now() - started
  await server.kill()
  return elapsed / 1_000
}
