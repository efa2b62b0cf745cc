import { fork, type ChildProcess } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FaultOptions } from 'stepward/emulator'
import { Chance } from './chance.js'
import { Recorder } from './recorder.js'
import { completeWithinMs, graceMs, intervals, names, type MemberSetup, type Setup } from './setup.js'
import type { StoreCommand } from './store.js'

export interface RunOptions {
  readonly seed: number
  /** The file for the history, which must not exist yet. */
  readonly history: string
  /** Kinds of jobs. If empty, the seed chooses. */
  readonly kinds?: readonly string[]
  readonly jobs?: number
  /** The ids of the schedules. If empty, the seed chooses. */
  readonly schedules?: readonly string[]
  /** The faults. If absent, the seed chooses. */
  readonly faults?: readonly FaultName[]
  /** How long all jobs of the run together may take on a machine that has a core for each running process. */
  readonly patienceMs?: number
  /** Node options of every process that runs production code. */
  readonly execArgv?: readonly string[]
}

const writes = { operation: ['create', 'replace', 'batch', 'upsert'] } as const
const reads = { operation: ['read', 'query', 'changeFeed'] } as const

type Break = (run: Running, chance: Chance) => Promise<void>

/** The faults of a run, each at a moment chosen by the seed. */
export const faults = {
  kill: async (run, chance) => {
    const victim = run.member(chance)
    victim.child.kill('SIGKILL')
    run.note('kill', victim.name)
    await wait(chance.between(100, 900))
    run.replace(victim)
  },
  freeze: async (run, chance) => {
    const victim = run.member(chance)
    victim.child.kill('SIGSTOP')
    run.note('freeze', victim.name)
    // Longer than its leases last (the store's clock has whole seconds), so that other instances have
    // noticed.
    await wait(intervals.leaseExpirationInterval + chance.between(2_600, 3_600))
    victim.child.kill('SIGCONT')
    run.note('continue', victim.name)
  },
  leave: async (run, chance) => {
    const victim = run.member(chance)
    victim.child.kill('SIGTERM')
    run.note('leave', victim.name)
    await wait(chance.between(300, 900))
    run.replace(victim)
  },
  clock: async (run, chance) => {
    const victim = run.member(chance)
    const stepMs = chance.of([-1, 1]) * chance.between(500, 15_000)
    if (victim.child.connected) victim.child.send({ stepMs })
    run.note('clock', victim.name, { stepMs })
    await wait(chance.between(800, 2_500))
    if (victim.child.connected) victim.child.send({ stepMs: 0 })
  },
  clocks: async (run, chance) => {
    // Changes the clocks of all instances at once, until each has checked its deadlines.
    const stepMs = chance.between(4_000, 8_000)
    run.note('clocks', 'all', { stepMs })
    run.tellAll({ stepMs })
    await wait(1_500)
    run.tellAll({ stepMs: 0 })
  },
  split: async (run, chance) => {
    const container = chance.of([names.state, names.orders])
    run.store({ split: container })
    run.note('split', container)
  },
  cutAfter: (run, chance) => run.disturb(chance, { match: writes, reset: true, afterApply: true }),
  cutBefore: (run, chance) => run.disturb(chance, { match: writes, reset: true }),
  cutReads: (run, chance) => run.disturb(chance, { match: reads, reset: true }),
  unavailable: (run, chance) => run.disturb(chance, { match: writes, status: 503 }),
  unavailableAfter: (run, chance) => run.disturb(chance, { match: writes, status: 503, afterApply: true }),
  slowWrites: async (run, chance) => {
    const match = { ...writes, container: names.state }
    const fault = { match, delay: '2s', probability: 0.3, seed: chance.between(1, 1e6) }
    await run.disturbFor(4_000, fault)
  },
} satisfies Readonly<Record<string, Break>>

export type FaultName = keyof typeof faults

const faultNames = Object.keys(faults) as FaultName[]

interface Member {
  readonly name: string
  readonly roles: MemberSetup['roles']
  readonly child: ChildProcess
}

const allRoles = ['scheduler', 'agents', 'supervisor', 'notifier'] as const

/** The roles of each instance. */
const lineUps: readonly [readonly MemberSetup['roles'][], ...(readonly MemberSetup['roles'][])[]] = [
  [allRoles, allRoles],
  [allRoles, allRoles],
  [
    ['scheduler', 'notifier'],
    ['agents', 'supervisor'],
    ['scheduler', 'agents', 'supervisor'],
  ],
  [
    ['scheduler', 'supervisor', 'notifier'],
    ['agents', 'notifier'],
    ['agents', 'scheduler', 'supervisor'],
  ],
]

/** How long all jobs of a run may take, including a minute in which no instance works. */
const defaultPatienceMs = 120_000

/** Returns how many times longer work may take because processes wait for a core, at most 10. */
function slowdown(): number {
  const [lastMinute = 0] = loadavg()
  return Math.min(10, Math.max(1, lastMinute / availableParallelism()))
}

function here(script: string): string {
  return fileURLToPath(new URL(`${script}.js`, import.meta.url))
}

/** The processes of one run. */
class Running {
  private readonly members = new Map<string, Member>()
  private readonly children: ChildProcess[] = []
  private readonly recorder: Recorder
  private storeProcess: ChildProcess | undefined
  private client: ChildProcess | undefined
  private setup: Setup
  private made = 0
  private isOver = false

  constructor(private readonly options: RunOptions) {
    this.recorder = new Recorder(options.history, 'runner')
    const { seed, history, kinds = [], jobs = 8, schedules = [] } = options
    this.setup = { seed, history, kinds, jobs, schedules, endpoint: '', key: '', remote: '' }
  }

  async start(lineUp: readonly MemberSetup['roles'][]): Promise<void> {
    const { leaseExpirationInterval: leaseExpirationIntervalMs } = intervals
    this.recorder.note('settings', {
      seed: this.setup.seed,
      leaseExpirationIntervalMs,
      graceMs,
      completeWithinMs,
    })
    const remote = this.fork('remote', { JUDGE_HISTORY: this.setup.history })
    this.storeProcess = this.fork('store', {}, this.options.execArgv)
    const [{ port }, { endpoint, key }] = await Promise.all([
      message<{ port: number }>(remote),
      message<{ endpoint: string; key: string }>(this.storeProcess),
    ])
    this.setup = { ...this.setup, endpoint, key, remote: `http://127.0.0.1:${port}/` }
    const members = lineUp.map((roles) => this.add(roles))
    const client = this.fork('client', this.told(this.setup), this.options.execArgv)
    await Promise.all([client, ...members].map((child) => message(child)))
    client.send({ begin: true })
    this.client = client
  }

  /** Resolves to true when every job has ended, or to false when the time is up. */
  async ended(): Promise<boolean> {
    if (this.client === undefined) return false
    const isOver = new AbortController()
    const isDone = await Promise.race([
      message<{ done: boolean }>(this.client).then(({ done }) => done),
      this.outOfPatience(isOver.signal),
    ])
    isOver.abort()
    return isDone
  }

  /** Resolves to false when the jobs have had their time, adjusted every second to the load. */
  private async outOfPatience(signal: AbortSignal): Promise<false> {
    let leftMs = this.options.patienceMs ?? defaultPatienceMs
    while (leftMs > 0 && !signal.aborted) {
      await wait(1_000, null, { signal }).catch(() => null)
      leftMs -= 1_000 / slowdown()
    }
    return false
  }

  /** Stops all writers. Then the client reads everything once more. */
  async observe(): Promise<void> {
    this.isOver = true
    for (const { child } of this.members.values()) child.kill('SIGKILL')
    this.store({ clear: true })
    const { client } = this
    if (client === undefined) return
    client.send({ observe: true })
    await new Promise((resolve) => client.once('exit', resolve))
  }

  close(): void {
    this.isOver = true
    for (const child of this.children) child.kill('SIGKILL')
  }

  store(command: StoreCommand): void {
    if (this.storeProcess?.connected === true) this.storeProcess.send(command)
  }

  tellAll(told: { readonly stepMs: number }): void {
    for (const { child } of this.members.values()) if (child.connected) child.send(told)
  }

  /** Returns a running member. */
  member(chance: Chance): Member {
    const living = [...this.members.values()]
    const [first] = living
    if (first === undefined) throw new Error('no instance is left')
    return chance.of([first, ...living.slice(1)])
  }

  replace({ name, roles }: Member): void {
    this.members.delete(name)
    if (!this.isOver) this.add(roles)
  }

  note(fault: string, target: string, more: Readonly<Record<string, unknown>> = {}): void {
    this.recorder.note('fault', { fault, target, ...more })
  }

  /** Makes some requests fail with this fault for a while. */
  disturb(chance: Chance, fault: FaultOptions): Promise<void> {
    const probability = chance.of([0.1, 0.3, 0.6])
    const seed = chance.between(1, 1e6)
    return this.disturbFor(chance.between(600, 1_800), { ...fault, probability, seed })
  }

  async disturbFor(forMs: number, fault: FaultOptions): Promise<void> {
    this.store({ fault, forMs })
    this.note('disturb', JSON.stringify(fault))
    await wait(forMs)
  }

  private add(roles: MemberSetup['roles']): ChildProcess {
    this.made += 1
    const name = `m${this.made}`
    const child = this.fork('member', this.told({ ...this.setup, name, roles }), this.options.execArgv)
    this.members.set(name, { name, roles, child })
    return child
  }

  private told(setup: Setup | MemberSetup): Readonly<Record<string, string>> {
    return { JUDGE_SETUP: JSON.stringify(setup) }
  }

  private fork(
    script: string,
    environment: Readonly<Record<string, string>>,
    execArgv: readonly string[] = [],
  ): ChildProcess {
    const child = fork(here(script), [], {
      env: { ...process.env, ...environment },
      execArgv: [...execArgv],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.children.push(child)
    return child
  }
}

function message<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once('message', (told) => resolve(told as T))
    child.once('exit', (code) => reject(new Error(`a process of the run ended with ${code}`)))
  })
}

/** Makes one run and writes its history. Resolves to whether every job ended in time. */
export async function runOnce(options: RunOptions): Promise<boolean> {
  const chance = new Chance(options.seed + 77)
  const run = new Running(options)
  try {
    await run.start(chance.of(lineUps))
    const chosen = options.faults ?? chance.some(faultNames, chance.between(2, 4))
    const troubles = chosen.map(async (name, index) => {
      const own = new Chance(options.seed * 31 + index)
      await wait(own.between(200, 3_000))
      await faults[name](run, own)
    })
    const isDone = await run.ended()
    await Promise.all(troubles)
    await run.observe()
    return isDone
  } finally {
    run.close()
  }
}
