import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** The built program. */
export const cli = join(root, 'dist/src/cli/main.js')
/** The sample's module of agents and workflow. */
export const ordersModule = join(root, 'dist/samples/orders/index.js')
/** The sample's runner and its services. */
export const ordersRun = join(root, 'dist/samples/orders/run.js')
export const ordersServices = join(root, 'dist/samples/orders/services/main.js')
/** The module of agents and workflow of another sample, and its runner. */
export const sampleModule = (name: string): string => join(root, 'dist/samples', name, 'index.js')
export const sampleRun = (name: string): string => join(root, 'dist/samples', name, 'run.js')
/** The sample's own orders. */
export const ordersFile = join(root, 'samples/orders/data/orders.jsonl')

/** How a process ended, and its output. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A running process. Tests can wait for its lines of output. */
export class Running {
  readonly ended: Promise<Ended>
  private readonly lines: string[] = []
  private watchers: ((line: string) => boolean)[] = []
  private readonly streams: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' }

  constructor(private readonly child: ChildProcess) {
    for (const name of ['stdout', 'stderr'] as const) {
      const stream = child[name]
      if (stream === null) continue
      stream.setEncoding('utf8').on('data', (text: string) => (this.streams[name] += text))
      createInterface({ input: stream }).on('line', (line) => this.hear(line))
    }
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal, ...this.streams }))
    })
  }

  /**
   * Resolves with the `count`-th line on either stream that contains `text`. Rejects if the process ends
   * first.
   */
  line(text: string, count = 1): Promise<string> {
    let left = count
    const isIt = (line: string): boolean => line.includes(text) && --left === 0
    const already = this.lines.find(isIt)
    if (already !== undefined) return Promise.resolve(already)
    return new Promise((resolve, reject) => {
      this.watchers.push((line) => {
        if (!isIt(line)) return false
        resolve(line)
        return true
      })
      this.ended.then(({ code, stderr }) => {
        reject(new Error(`ended with ${code} before a line with ${text}: ${stderr}`))
      }, reject)
    })
  }

  /** Every line so far, on either stream. */
  get heard(): readonly string[] {
    return this.lines
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }

  /** Returns how many lines so far contain `text`. */
  count(text: string): number {
    return this.lines.filter((line) => line.includes(text)).length
  }

  async kill(signal: NodeJS.Signals): Promise<Ended> {
    this.signal(signal)
    return this.ended
  }

  private hear(line: string): void {
    this.lines.push(line)
    this.watchers = this.watchers.filter((watcher) => !watcher(line))
  }
}

/** Starts a script of the built package, and kills it at the end of the test if it still runs. */
export function start(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Running {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const running = new Running(child)
  onTestFinished(async () => {
    await running.kill('SIGKILL')
  })
  return running
}

/** Runs a script of the built package to its end. */
export function run(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return start(script, args, env).ended
}

/** Returns the environment of this process without the variables that name a store. */
export function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('COSMOS_')))
}

/** Creates a directory for the test, and removes it at the end. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'stepward-'))
  onTestFinished(async () => {
    await rm(directory, { recursive: true, force: true })
  })
  return directory
}

/** An embedded store in its own process. */
export interface EmulatorProcess {
  readonly process: Running
  readonly endpoint: string
  readonly env: Readonly<Record<string, string>>
}

/** Starts `stepward emulator` and waits until it answers. */
export async function startEmulatorProcess(args: readonly string[]): Promise<EmulatorProcess> {
  const running = start(cli, ['emulator', '--json', ...args])
  const { endpoint, key } = JSON.parse(await running.line('"endpoint"')) as { endpoint: string; key: string }
  return { process: running, endpoint, env: { COSMOS_ENDPOINT: endpoint, COSMOS_KEY: key } }
}

/** Returns a port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}
