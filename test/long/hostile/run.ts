import type { ServerProcess } from '../../bench/server-process.js'
import { errorMessage } from '../../../src/platform/internal.js'
import { ask, type Target } from './account.js'
import { fill } from './fill.js'
import { hostileRequest } from './requests.js'
import type { HostileRequest } from './http-request.js'
import { memoryOf, processorMs, type Memory } from './process-figures.js'
import { judged, type Judged } from './judge.js'
import { exchange } from './socket.js'
import { Watcher, watchedDatabase } from './watcher.js'

/** The options of a run of hostile requests. */
export interface HostileRun {
  readonly server: Omit<ServerProcess, 'kill'>
  readonly seed: number
  /** The number of the first request, and the number after the last one. */
  readonly from: number
  readonly to: number
  readonly mostMemoryMb: number
  /** Called after every batch. */
  readonly onBatch: (progress: Progress) => void
  /** Called for every problem. */
  readonly onProblem: (problem: string) => void
}

/** The progress of a run. A run ends after a few problems. */
export interface Progress {
  readonly requests: number
  /** The number of answers by status. Closed connections have the status 0. */
  readonly statuses: ReadonlyMap<number, number>
  readonly slowest: Slow
  readonly memory: Memory
  readonly problems: readonly string[]
}

/** The time of a request: the elapsed time, or the processor time of the emulator if that is less. */
export interface Slow {
  readonly milliseconds: number
  readonly name: string
}

const batchSize = 1_000
const atOnce = 16
const requestsPerCheck = 50
const mostProblems = 10

/** Sends hostile requests, and fills the account again before every batch. */
export async function runHostile(run: HostileRun): Promise<Progress> {
  const state = new RunState(run)
  await state.watcher.prepare()
  for (let from = run.from; from < run.to && !state.isOver; from += batchSize) {
    try {
      await state.batch(from, Math.min(from + batchSize, run.to))
    } catch (error) {
      state.end(`the emulator does not answer correct requests: ${errorMessage(error)}`)
    }
    run.onBatch(state.progress)
  }
  return state.progress
}

class RunState {
  readonly watcher: Watcher
  private readonly target: Target
  private readonly statuses = new Map<number, number>()
  private readonly problems: string[] = []
  private readonly recent: string[] = []
  private slowest: Slow = { milliseconds: 0, name: 'none' }
  private sent = 0
  private hasEnded = false

  constructor(private readonly run: HostileRun) {
    const { endpoint, key, ended } = run.server
    this.target = { port: Number(new URL(endpoint).port), key }
    this.watcher = new Watcher(this.target)
    ended.then(
      () => (this.hasEnded = true),
      () => undefined,
    )
  }

  get isOver(): boolean {
    return this.problems.length >= mostProblems || this.hasEnded
  }

  get progress(): Progress {
    const { sent, statuses, slowest, problems } = this
    return { requests: sent, statuses, slowest, problems, memory: memoryOf(this.run.server.pid) }
  }

  end(problem: string): void {
    this.hasEnded = true
    this.note('the run', `${problem}. The last requests were ${this.recent.join(', ')}.`)
  }

  async batch(from: number, to: number): Promise<void> {
    const material = await fill(this.target, watchedDatabase)
    const running = new Set<Promise<void>>()
    for (let number = from; number < to && !this.isOver; number += 1) {
      const request = hostileRequest(this.run.seed, number, material)
      const limit = request.isAlone ? 1 : atOnce
      while (running.size >= limit) await Promise.race(running)
      const answered = this.send(request, number).finally(() => running.delete(answered))
      running.add(answered)
      if (request.isAlone) await answered
      if (number % requestsPerCheck === 0) this.note('the watcher', await this.watcher.check())
    }
    await Promise.all(running)
    if (this.hasEnded) this.end('the process has ended')
    const { peakMb } = memoryOf(this.run.server.pid)
    if (peakMb > this.run.mostMemoryMb) this.end(`the process uses ${peakMb} MB of memory`)
  }

  private async send(request: HostileRequest, number: number): Promise<void> {
    const name = `request ${number} of seed ${this.run.seed} (${request.kind})`
    this.recent.push(name)
    if (this.recent.length > 2 * atOnce) this.recent.shift()
    const before = processorMs(this.run.server.pid)
    const received = await exchange(this.target.port, request)
    const processor = processorMs(this.run.server.pid) - before
    this.count(name, judged(request, received, processor), request)
    if (request.undo !== undefined) await ask(this.target, request.undo)
  }

  private count(name: string, { status, milliseconds, problem }: Judged, request: HostileRequest): void {
    this.sent += 1
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
    if (milliseconds > this.slowest.milliseconds) this.slowest = { milliseconds, name }
    this.note(name, problem === null ? null : `${problem}\n${shown(request)}`)
  }

  private note(name: string, problem: string | null): void {
    if (problem === null) return
    this.problems.push(`${name}: ${problem}`)
    this.run.onProblem(`${name}: ${problem}`)
  }
}

/** Returns the beginning of a request as text. */
function shown({ parts }: HostileRequest): string {
  return Buffer.concat(parts).toString('latin1').slice(0, 4_000)
}
