import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { systemClock } from 'stepward'
import { started } from './child.js'
import type { Order, Peer, RunningPeer } from './peer.js'

const redisPort = 63_799

/** Returns the systems that are installed in a folder, to compare Stepward with. */
export function rivalsIn(folder: string): readonly Peer[] {
  return [bullmq(folder), restate(folder)]
}

/** The packages of the rivals, with the versions that the adapters were written for. */
const packages = {
  bullmq: ['bullmq@6.7.0', 'ioredis'],
  restate: ['@restatedev/restate-server@1.7.12', '@restatedev/restate-sdk@1.17.2'],
} as const

function bullmq(folder: string): Peer {
  return {
    name: 'BullMQ, Redis with fsync always',
    missing: () =>
      lacking(folder, 'bullmq', packages.bullmq) ??
      (runs('redis-server') ? null : 'redis-server (a package of the operating system)'),
    open: async () => {
      const directory = mkdtempSync(join(tmpdir(), 'stepward-bench-'))
      const flags = ['--port', String(redisPort), '--bind', '127.0.0.1', '--dir', directory]
      const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
      const server = await started(['redis-server', ...flags, ...durable], /Ready to accept/)
      const worker = await started([...node, program('bullmq-worker.js'), folder, String(redisPort)], /READY/)
      const { FlowProducer, QueueEvents } = (await imported(folder, 'bullmq')) as BullMq
      const connection = { host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: null }
      const [flow, events] = [new FlowProducer({ connection }), new QueueEvents('orders', { connection })]
      await events.waitUntilReady()
      events.setMaxListeners(0)
      return {
        processIds: [server.processId, worker.processId],
        run: async (data) => {
          const { job } = await flow.add(flowOf(data))
          return ((await job.waitUntilFinished(events)) as Order).id
        },
        close: async () => {
          await worker.end()
          await events.close()
          await flow.close()
          await server.end()
          rmSync(directory, { recursive: true })
        },
      }
    },
  }
}

/** The parts of BullMQ that are used here. */
interface BullMq {
  readonly FlowProducer: new (options: object) => {
    add(flow: object): Promise<{ readonly job: { waitUntilFinished(events: object): Promise<unknown> } }>
    close(): Promise<void>
  }
  readonly QueueEvents: new (
    name: string,
    options: object,
  ) => { waitUntilReady(): Promise<unknown>; setMaxListeners(count: number): void; close(): Promise<void> }
}

/** Three jobs, of which each waits for the one that is its child. */
function flowOf(data: Order): object {
  const retried = { attempts: 5, backoff: { type: 'exponential', delay: 100 } }
  const step = (name: string, own: object, children: readonly object[]) => {
    return {
      name,
      queueName: 'orders',
      data,
      opts: { ...retried, ...own, jobId: `${data.id}_${name}` },
      children,
    }
  }
  const needed = { failParentOnFailure: true }
  return step('ship', {}, [step('charge', needed, [step('reserve', needed, [])])])
}

function restate(folder: string): Peer {
  return {
    name: 'Restate',
    missing: () => lacking(folder, '@restatedev/restate-sdk', packages.restate),
    open: () => openRestate(folder),
  }
}

async function openRestate(folder: string): Promise<RunningPeer> {
  const directory = mkdtempSync(join(tmpdir(), 'stepward-bench-'))
  const binary = join(folder, 'node_modules/@restatedev/restate-server-linux-x64/bin/restate-server')
  const flags = ['--bind-ip', '127.0.0.1', '--base-dir', directory, '--no-logo', '--listen-mode', 'tcp']
  const quiet = { RESTATE_LOG_FILTER: 'warn,restate=info', DO_NOT_TRACK: '1' }
  const server = await started([binary, ...flags], /ready|started|running|listening|accepting/iu, quiet)
  const worker = await started([...node, program('restate-worker.js'), folder], /READY/)
  await eventually(() => posted('http://127.0.0.1:9070/deployments', { uri: 'http://127.0.0.1:9080' }))
  return {
    processIds: [server.processId, worker.processId],
    run: async (order) => {
      const key = { 'idempotency-key': order.id }
      return ((await posted('http://127.0.0.1:8080/orders/process', order, key)) as Order).id
    },
    close: async () => {
      await worker.end()
      await server.end()
      rmSync(directory, { recursive: true })
    },
  }
}

const node = [process.execPath]

function program(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url))
}

/** Imports a package that is installed in a folder. */
export async function imported(folder: string, name: string): Promise<unknown> {
  const path = createRequire(join(folder, 'package.json')).resolve(name)
  return import(pathToFileURL(path).href)
}

function lacking(folder: string, name: string, wanted: readonly string[]): string | null {
  const manifest = join(folder, 'node_modules', name, 'package.json')
  if (existsSync(manifest) && readFileSync(manifest, 'utf8') !== '') return null
  return `npm install --prefix ${folder} ${wanted.join(' ')}`
}

function runs(command: string): boolean {
  try {
    execFileSync(command, ['--version'])
    return true
  } catch {
    return false
  }
}

async function posted(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  const init = { method: 'POST', body: JSON.stringify(body) }
  const answer = await fetch(url, { ...init, headers: { 'content-type': 'application/json', ...headers } })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return await answer.json()
}

/** Repeats an action that fails while a server starts. */
async function eventually(action: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await action()
      return
    } catch (error) {
      if (tries === 50) throw error
      await systemClock.sleep(300)
    }
  }
}
