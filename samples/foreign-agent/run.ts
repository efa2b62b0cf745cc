import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startHost } from 'stepward'
import { startEmulator } from 'stepward/emulator'
import { printLabel } from './index.js'

const python = process.env['PYTHON'] ?? 'python3'
const texts = ['glass', 'this side up', 'keep dry', 'heavy']

/** The path of the script, whether this file runs from `dist` or from the sources. */
const script = fileURLToPath(new URL('label_printer.py', import.meta.url)).replace(
  /([\\/])dist[\\/]samples[\\/]/,
  '$1samples$1',
)

/** Starts the agent in Python. Rejects if Python is not installed. */
async function startPrinter(env: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const printer = spawn(python, [script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(printer, 'spawn')
  createInterface({ input: printer.stdout }).on('line', (line) => process.stdout.write(`python: ${line}\n`))
  return printer
}

/** Prints labels with an agent. Kills this agent in the middle of its work, and starts a replacement. */
async function run(): Promise<void> {
  const emulator = await startEmulator({ port: 0 })
  const labelsDirectory = await mkdtemp(join(tmpdir(), 'labels-'))
  const { endpoint, key } = emulator
  const host = await startHost({
    endpoint,
    key,
    roles: ['scheduler', 'supervisor'],
    sweepInterval: 5_000,
    deadlineGrace: 100,
  })
  const env = { COSMOS_ENDPOINT: endpoint, COSMOS_KEY: key, LABELS_DIRECTORY: labelsDirectory }
  let printer: ChildProcess | null = null
  try {
    printer = await startPrinter(env)
    const submitted = texts.map((text, index) =>
      host.client.submit(printLabel, { id: `label-${index + 1}`, text }),
    )
    const jobs = await Promise.all(submitted)
    if (printer.stdout !== null) await once(printer.stdout, 'data')
    printer.kill('SIGKILL')
    process.stdout.write('the agent was killed; another one takes its place\n')
    printer = await startPrinter(env)
    for (const job of jobs) {
      const { print } = await job.result()
      process.stdout.write(`${job.jobId}: ${JSON.stringify(print)}\n`)
    }
    const printed = await readdir(labelsDirectory)
    process.stdout.write(`${printed.length} labels for ${jobs.length} jobs\n`)
  } finally {
    printer?.kill()
    await host.stop()
    await emulator.close()
    await rm(labelsDirectory, { recursive: true })
  }
}

try {
  await run()
} catch (error) {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  const advice = `${python} was not found: install Python 3, or set PYTHON to its path`
  process.stderr.write(`${isMissing ? advice : String(error)}\n`)
  process.exitCode = 1
}
