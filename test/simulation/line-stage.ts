import { defineAgent, defineWorkflow, type SubmitOptions } from '../../src/sas/index.js'
import type { Fate, Request } from '../../src/testing/network.js'
import { JobFleet } from '../../src/testing/job-fleet.js'
import type { SimulatedProcess } from '../../src/testing/simulated-process.js'
import { storeError } from '../../src/testing/store-error.js'
import { World } from '../../src/testing/world.js'
import { oneHostPerRole, type Host } from './job-scene.js'

export const minuteMs = 60_000

interface Line {
  /** The hosts that run from the begin. */
  readonly hosts: readonly Host[]
  /** The number of handlers that run at the same time on a host. Default 2. */
  readonly slots?: number
  /** The duration of a handler of the clerk. Default 8 s. */
  readonly workMs?: number
  /** The deadline of the clerk's steps. Default 20 s. */
  readonly within?: '1h'
  /** The number of slots of the clerk, if other agents have more. */
  readonly clerks?: number
  readonly tries?: number
  readonly claim?: boolean
  /** The numbers of the jobs whose handlers never answer. */
  readonly hanging?: readonly number[]
  readonly partitionCount?: number
  /** Whether the store refuses a request of a process, at this time since the begin. Default: never. */
  readonly isRefused?: (request: Request, atMs: number) => boolean
  /** The time until the answer of a request, in milliseconds. Default 5. */
  readonly answerMs?: (request: Request, atMs: number) => number
}

/** A call of a handler: the number of its job, and of its attempt. */
interface Call {
  readonly number: number
  readonly attempt: number
}

/**
 * Jobs of one step, on hosts whose agents have few slots. The step is for the `clerk`, or for the `bank`, whose handlers
 * take a second, and whose deadline is 20 s.
 */
export class LineStage {
  readonly world: World
  readonly fleet: JobFleet
  readonly calls: Call[] = []
  /** How jobs ended, and when, in milliseconds since the begin. */
  readonly ended = new Map<number, { readonly as: string; readonly atMs: number }>()
  private readonly workflows

  constructor(private readonly line: Line) {
    const { hosts, slots = 2, workMs = 8_000, within = '20s', tries = 3, claim = false, hanging = [] } = line
    const terms = { completeWithin: within, retry: { tries }, undo: 'none', claim } as const
    const planned = (name: string) =>
      defineAgent(name, { file: (input: { readonly number: number }) => input })
    const flow = (name: string, own: object = {}) =>
      defineWorkflow<{ readonly number: number }>(`of-${name}`, (job) => {
        job.step('file', planned(name).file, { number: job.input.number }, { ...terms, ...own })
      })
    this.workflows = { clerk: flow('clerk'), bank: flow('bank', { completeWithin: '20s' }) }
    this.world = new World({ seed: 1, fateOf: (request) => this.fateOf(request) })
    const agent = ({ clock }: SimulatedProcess, name: string, ms: number, options: object = {}) =>
      defineAgent(
        name,
        {
          file: ({ number }: { readonly number: number }, { attempt }) => {
            this.calls.push({ number, attempt })
            return clock.sleep(hanging.includes(number) ? Infinity : ms).then(() => ({ number }))
          },
        },
        options,
      )
    this.fleet = new JobFleet(this.world, {
      agents: (process) => [
        agent(process, 'clerk', workMs, line.clerks === undefined ? {} : { slots: line.clerks }),
        agent(process, 'bank', 1_000),
      ],
      slots,
      rolesOn: (computer) => hosts.find((host) => host.computer === computer)?.roles ?? [],
      ...(line.partitionCount && { partitionCount: line.partitionCount }),
    })
  }

  private fateOf(request: Request): Fate {
    const { isRefused, answerMs } = this.line
    const atMs = this.world.time.monotonic()
    const kind = isRefused?.(request, atMs) === true ? 'refused' : 'answered'
    const answerDelayMs = answerMs?.(request, atMs) ?? 5
    return { kind, delayMs: 5, answerDelayMs, error: storeError(503) }
  }

  /** Starts all hosts, submits jobs with these numbers from 0 after a minute, and passes another minute. */
  async begun(jobCount: number): Promise<this> {
    for (const { computer } of this.line.hosts) this.fleet.start(computer)
    await this.pass(minuteMs)
    const numbers = Array.from({ length: jobCount }, (_, number) => number)
    await Promise.all([...numbers.map((number) => this.submit(number)), this.pass(minuteMs)])
    return this
  }

  async submit(number: number, terms: SubmitOptions = {}, of: 'clerk' | 'bank' = 'clerk'): Promise<void> {
    const job = await this.client().submit(
      this.workflows[of],
      { number },
      { jobId: `job-${number}`, ...terms },
    )
    const ends = (as: string): void => {
      this.ended.set(number, { as, atMs: this.world.time.monotonic() })
    }
    job.result().then(
      () => ends('done'),
      (error: unknown) => ends(String(error)),
    )
  }

  client() {
    const [process] = this.fleet.processes
    if (process === undefined) throw new Error('no process runs')
    return this.fleet.client(process)
  }

  async pass(ms: number): Promise<void> {
    await this.world.runUntil(() => false, ms)
  }

  async untilEnded(jobCount: number, withinMs = 30 * minuteMs): Promise<void> {
    await this.world.runUntil(() => this.ended.size === jobCount, withinMs)
  }

  /** How often each way to end occurred, without the ids of jobs. */
  ends(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {}
    for (const { as } of this.ended.values()) {
      const way = as.replace(/job-\d+/u, 'N')
      counts[way] = (counts[way] ?? 0) + 1
    }
    return counts
  }

  /** The calls of attempts after the first, each of which follows a failure that counted. */
  later(): readonly Call[] {
    return this.calls.filter(({ attempt }) => attempt > 1)
  }
}

/** The host that has only the role `agents`. */
export const agentsHost: Host = ofRole('agents')
export const supervisorHost: Host = ofRole('supervisor')

function ofRole(role: string): Host {
  const found = oneHostPerRole.find(({ roles }) => roles[0] === role)
  if (found === undefined) throw new Error(`no host has the role ${role}`)
  return found
}
