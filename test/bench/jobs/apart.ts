import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { connect, type JobClient } from 'stepward'
import { attachAccount, type AttachedAccount } from 'stepward/emulator'

/** Programs that run in their own processes. */
export interface JobPrograms {
  /** The built program. */
  readonly cli: string
  /** `workload` as JavaScript that finds the package by its name. */
  readonly workload: string
}

/** How the worker runs: as the only process of a fleet, or without a parent. */
export type WorkerKind = 'fleet' | 'alone'

/** How the worker and the client reach the store: by HTTP, or through the socket in its data directory. */
export type StoreDoor = 'http' | 'local'

/** A store, a worker, and a client in this process. */
export interface Apart {
  readonly client: JobClient
  readonly storeId: number
  /** The id of the worker's current process. */
  readonly workerId: () => Promise<number>
  /** The number of leases that each process of the fleet owns. */
  readonly leasesOwned: () => Promise<readonly number[]>
  /** Starts another worker in place of one that was killed. Does nothing for a fleet, which does so itself. */
  readonly replaceWorker: () => void
  /** The lines that the workers have logged so far, oldest first. */
  readonly logged: () => readonly LoggedLine[]
}

/** A line of a worker's log. */
export interface LoggedLine {
  readonly type: string
  /** The time of the event, as `performance.now()` of this process counts it. */
  readonly atMs: number
  readonly processId?: number
}

/** How the three are set up. */
export interface Setting {
  readonly slots: number
  readonly kind: WorkerKind
  readonly door: StoreDoor
  /** The number of workers of a fleet. Default 1. */
  readonly workers?: number
  /** The number of partitions of each container. Default 1. */
  readonly partitions?: number
  /** Options of Node for the store and the worker. Default none, as users start them. */
  readonly nodeOptions?: readonly string[]
}

/** Calls `use` with the three, and ends them afterwards. */
export async function apart<T>(
  { cli, workload }: JobPrograms,
  { slots, kind, door, workers: count = 1, partitions = 1, nodeOptions = [] }: Setting,
  use: (apart: Apart) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'stepward-bench-'))
  const config = join(directory, 'stepward.config.json')
  writeFileSync(config, JSON.stringify({ slots }))
  const state = ['--state', join(directory, 'fleet')]
  const workers: { readonly logged: () => readonly LoggedLine[] }[] = []
  const ending: (() => Promise<unknown>)[] = [async () => rmSync(directory, { recursive: true, force: true })]
  try {
    const data = join(directory, 'data')
    const program = [...nodeOptions, cli]
    const store = run(
      program,
      ['emulator', '--port', '0', '--json', '--data', data, '--partitions', String(partitions)],
      {},
    )
    ending.push(() => store.end())
    const { endpoint, key } = JSON.parse(await store.line('{')) as { endpoint: string; key: string }
    const env: Record<string, string> = door === 'http' ? { COSMOS_ENDPOINT: endpoint, COSMOS_KEY: key } : {}
    const place = door === 'http' ? [] : ['--data', data]
    const what = ['start', '--role', 'all', '--agents', workload, '--config', config, ...place]
    const startWorker = () => {
      const worker = run(
        program,
        [...what, ...(kind === 'fleet' ? ['--instances', String(count), ...state] : [])],
        env,
      )
      workers.push(worker)
      ending.push(() => worker.end())
      return worker
    }
    let worker = startWorker()
    await worker.line('host.started')
    const client = await connect(door === 'http' ? { endpoint, key } : { embedded: await attached(data) })
    ending.push(async () => client.close())
    const fleet = async () => {
      const asked = run([cli], ['fleet', '--json', ...state], env)
      const { rows } = JSON.parse(await asked.all()) as {
        rows: { processId: number; leases: number | null }[]
      }
      return rows
    }
    const workerId = async (): Promise<number> => {
      if (kind === 'alone') return worker.processId
      const [row] = await fleet()
      return row?.processId ?? Number.NaN
    }
    const leasesOwned = async () => (await fleet()).map(({ leases }) => leases ?? 0)
    const replaceWorker = (): void => {
      if (kind === 'alone') worker = startWorker()
    }
    const logged = () => workers.flatMap((one) => one.logged())
    return await use({ client, storeId: store.processId, workerId, leasesOwned, replaceWorker, logged })
  } finally {
    for (const end of ending.reverse()) await end()
  }
}

async function attached(data: string): Promise<AttachedAccount> {
  const account = await attachAccount(data)
  if (account === null) throw new Error(`no process has ${data} open`)
  return account
}

/** A process whose output is read line by line. */
function run(program: readonly string[], args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [...program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const lines: string[] = []
  const events: LoggedLine[] = []
  const watchers = new Set<(line: string) => void>()
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on('line', (line) => {
      if (watchers.size > 0 || input === child.stdout) lines.push(line)
      for (const watcher of watchers) watcher(line)
      events.push(...eventIn(line))
    })
  }
  return {
    processId: child.pid ?? Number.NaN,
    logged: () => events,
    line: (text: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const watcher = (line: string): void => {
          if (!line.includes(text)) return
          watchers.delete(watcher)
          resolve(line)
        }
        watchers.add(watcher)
        for (const line of lines) watcher(line)
        ended.then(() => reject(new Error(`${args.join(' ')} ended: ${lines.slice(-5).join('\n')}`)), reject)
      }),
    all: async (): Promise<string> => {
      await ended
      return lines.join('\n')
    },
    end: async (): Promise<void> => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Reads a line of a log. Other output has no event. */
function eventIn(line: string): LoggedLine[] {
  if (!line.startsWith('{')) return []
  const { type, time, processId } = JSON.parse(line) as { type?: string; time?: string; processId?: number }
  if (type === undefined || time === undefined) return []
  const atMs = Date.parse(time) - performance.timeOrigin
  return [{ type, atMs, ...(processId === undefined ? {} : { processId }) }]
}
