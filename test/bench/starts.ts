import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createInProcessCosmos } from '../../src/emulator/index.js'
import { median, type Effort, type Figure } from './figure.js'
import { anOrdersContainer, store } from './orders.js'

/** From the beginning of a fresh process of the built program `cli` to its first answer. */
export async function starts(cli: string, { loaded, starts: count }: Effort): Promise<readonly Figure[]> {
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
  const child = spawn(process.execPath, [cli, 'emulator', '--port', '0', '--json', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  for await (const line of createInterface({ input: child.stdout })) {
    const { endpoint } = JSON.parse(line) as { endpoint: string }
    await new Promise<void>((resolve, reject) => {
      get(endpoint, (answer) => answer.resume().on('end', resolve)).on('error', reject)
    })
    break
  }
  const elapsed = performance.now() - started
  child.kill('SIGKILL')
  await ended
  return elapsed / 1_000
}
