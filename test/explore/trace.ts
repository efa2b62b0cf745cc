import type { JobDocument, StepDocument } from '../../src/sas/model/documents.js'
import { now, tickMs } from './canonical.js'
import type { Explorer, Violation } from './explorer.js'
import type { JobMachine } from './job-machine.js'
import { readMove, type Move } from './job-moves.js'
import { effectOf, handlerAt, isClaimant, isLate, knownOf, mostGenerations, mostHandlers } from './remote.js'

/** One action of a trace: the words that identify it, and its changes. */
export interface Action {
  readonly does: string
  readonly changes: readonly string[]
}

/** The path of a world into a state that breaks an invariant. */
export interface Trace {
  readonly world: string
  readonly problem: string
  readonly actions: readonly Action[]
  /** How many actions can be replayed after the fix: all, unless the fix makes one of them impossible. */
  readonly followed: number
}

const versionWords = ['', ' not at hand', ' as it was before']

/** Describes the move in words. In one state, equal words mean the same move. */
function wordsOf(machine: JobMachine, job: number, move: Move): string {
  const { name, place, which } = readMove(move)
  const { stepIds } = machine.tables
  const stepId = stepIds[place] ?? ''
  const who = machine.world.jobs > 1 ? `job ${job + 1}: ` : ''
  const handler = `handler ${(which & 1) + 1}`
  switch (name) {
    case 'look': {
      const seen = stepIds.flatMap((id, at) => {
        const version = (which >> (at * 2)) & 3
        return version === 0 ? [] : [`${id}${versionWords[version] ?? ''}`]
      })
      return `${who}a scheduler looks${seen.length === 0 ? '' : ` (${seen.join(', ')})`}`
    }
    case 'begin':
      return `${who}an agent begins ${stepId}`
    case 'join and begin':
      return `${who}another agent begins ${stepId}, and says so first`
    case 'claim and begin':
      return `${who}an agent claims ${stepId} and begins it`
    case 'act':
      return `${who}${stepId}: the service acts for ${handler}`
    case 'call again':
      return `${who}${stepId}: ${handler} loses the answer and calls again`
    case 'lose':
      return `${who}${stepId}: the process of ${handler} ends`
    case 'succeed':
      return `${who}${stepId}: ${handler} succeeds (output ${(which >> 1) + 1})`
    case 'fail':
      return `${who}${stepId}: ${handler} fails for now`
    case 'refuse':
      return `${who}${stepId}: ${handler} is refused for good`
    case 'extend':
      return `${who}${stepId}: ${handler} asks for more time`
    case 'give back':
      return `${who}${stepId}: the host of ${handler} stops`
    case 'late call':
      return `${who}${stepId}: a late call of g${which >> 1}/${which % 2 === 0 ? 'do' : 'undo'} arrives`
    case 'late delivery':
      return `${who}${stepId} is delivered as it was before, to another process`
    case 'late outcome':
      return `${who}${stepId}: an earlier attempt ends (${which + 1})`
    case 'recover':
      return `${who}a supervisor looks at ${stepId}`
    case 'recover job':
      return `${who}a supervisor looks at the job`
    case 'raise':
      return `${who}the event of ${stepId} is raised`
    case 'operate':
      return `${who}an operator says ${machine.world.commands[which] ?? ''}`
    case 'wait':
      return waitWords(which * tickMs)
  }
}

function waitWords(ms: number): string {
  return `${ms / 1_000} s pass`
}

/** Returns the trace to a violation, reconstructed from the numbers of the states on the path. */
export function traceOf(explorer: Explorer, violation: Violation): Trace {
  const walk = new Walk(explorer)
  const path = explorer.pathTo(violation.state)
  const actions = path.slice(1).map((state) => walk.to(state))
  if (violation.job !== null) actions.push(walk.along(violation.job, violation.index))
  return { world: explorer.world.name, problem: violation.problem, actions, followed: actions.length }
}

export interface Replay {
  /** How many actions could be replayed: fewer than all if one is no longer possible. */
  readonly followed: number
  /** The problem on the path or at its end, or null. */
  readonly problem: string | null
}

/** Follows a trace as far as possible, and checks every invariant on the way. */
export function replay(explorer: Explorer, trace: Trace): Replay {
  const walk = new Walk(explorer)
  for (const [followed, { does }] of trace.actions.entries()) {
    const problem = walk.problem()
    if (problem !== null) return { followed, problem }
    const step = walk.by(does)
    if (step === null) return { followed, problem: null }
    if (step !== '') return { followed: followed + 1, problem: step }
  }
  return { followed: trace.actions.length, problem: walk.problem() ?? walk.problemAhead() }
}

/** A path through the states of a world, on which each job keeps its number. */
class Walk {
  private jobs: number[]

  constructor(private readonly explorer: Explorer) {
    const first = explorer.graph.machine.begin()
    this.jobs = Array.from({ length: explorer.world.jobs }, () => first)
  }

  /** Goes to the given next state. */
  to(state: number): Action {
    const { explorer } = this
    const wanted = this.sorted(explorer.jobsOf(state))
    for (const [job, from] of this.jobs.entries()) {
      const { targets } = explorer.graph.of(from)
      for (const [index, target] of targets.entries()) {
        if (this.sorted(this.with(job, target)) === wanted) return this.along(job, index)
      }
    }
    return this.wait()
  }

  along(job: number, index: number): Action {
    const { graph } = this.explorer
    const from = this.jobs[job] ?? 0
    const { targets, moves } = graph.of(from)
    const target = targets[index] ?? 0
    const does = wordsOf(graph.machine, job, moves[index] ?? 0)
    this.jobs = this.with(job, target)
    return { does, changes: changesOf(graph.machine, from, target) }
  }

  /**
   * Makes the move with these words. Returns null if there is none, and the problem if it breaks an
   * invariant.
   */
  by(does: string): string | null {
    const { graph } = this.explorer
    for (const [job, from] of this.jobs.entries()) {
      const { targets, moves, broken } = graph.of(from)
      const index = moves.findIndex((move) => wordsOf(graph.machine, job, move) === does)
      if (index < 0) continue
      this.jobs = this.with(job, targets[index] ?? 0)
      return broken?.index === index ? broken.problem : ''
    }
    if (waitWords(this.waitMs()) !== does) return null
    this.wait()
    return ''
  }

  problem(): string | null {
    return (
      this.jobs.map((job) => this.explorer.graph.of(job).problem).find((problem) => problem !== null) ?? null
    )
  }

  problemAhead(): string | null {
    return this.explorer.problemAhead(this.jobs)
  }

  private wait(): Action {
    const ms = this.waitMs()
    this.jobs = this.jobs.map((job) => this.explorer.graph.after(job, ms))
    return { does: waitWords(ms), changes: [] }
  }

  private waitMs(): number {
    const ahead = this.jobs.map((job) => this.explorer.graph.of(job).nextMs).filter((ms) => ms > 0)
    return ahead.length === 0 ? 0 : Math.min(...ahead)
  }

  private with(job: number, target: number): number[] {
    return this.jobs.map((from, at) => (at === job ? target : from))
  }

  private sorted(jobs: readonly number[]): string {
    return [...jobs].sort((a, b) => a - b).join()
  }
}

/** Returns the differences between two states of a job. */
function changesOf(machine: JobMachine, from: number, to: number): string[] {
  const before = pictureOf(machine, from)
  const after = pictureOf(machine, to)
  return after.flatMap(({ of, fields }, index) => {
    const was = before[index]?.fields ?? {}
    const changed = Object.keys({ ...was, ...fields }).flatMap((name) => {
      const [old, fresh] = [JSON.stringify(was[name]), JSON.stringify(fields[name])]
      return old === fresh ? [] : [`${name} ${old} → ${fresh}`]
    })
    return changed.length === 0 ? [] : [`${of}: ${changed.join(', ')}`]
  })
}

interface Picture {
  readonly of: string
  readonly fields: Readonly<Record<string, unknown>>
}

function pictureOf(machine: JobMachine, state: number): Picture[] {
  machine.enter(state)
  const { jobs, steps, stepIds } = machine.tables
  const { job, steps: numbers } = machine.looked()
  const ofSteps = stepIds.flatMap((stepId, place) => [
    { of: stepId, fields: shown(steps.at(numbers[place] ?? 0)) },
    { of: `service of ${stepId}`, fields: remoteOf(machine, place) },
  ])
  return [{ of: 'job', fields: shown(jobs.at(job)) }, ...ofSteps]
}

/** Returns a document with instants relative to now, and its ledger in words. */
function shown(document: JobDocument | StepDocument): Picture['fields'] {
  const entries = Object.entries(document).map(([name, value]: [string, unknown]) => {
    if (name.endsWith('Ms') && typeof value === 'number' && value > 10 ** 12) {
      return [name, `${(value - now) / 1_000} s`] as const
    }
    return [name, withoutBlanks(value)] as const
  })
  return Object.fromEntries(entries)
}

/** Leaves out texts, as the search does. */
function withoutBlanks(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const left = Object.entries(value).filter(([, own]) => own !== '')
  return Object.fromEntries(left.map(([name, own]) => [name, withoutBlanks(own)]))
}

function remoteOf(machine: JobMachine, place: number): Picture['fields'] {
  const remote = machine.remote(place)
  const handlers = Array.from({ length: mostHandlers }, (_none, at) => {
    const phase = ['', 'calling', 'acted', 'calling again'][handlerAt(remote, at)] ?? ''
    return isClaimant(remote, at) ? `${phase} (claimed)` : phase
  })
  const keys = Array.from({ length: mostGenerations }, (_none, index) => {
    const generation = index + 1
    const late = (['do', 'undo'] as const).filter((direction) => isLate(remote, { generation, direction }))
    const words = [
      ['no effect', 'effect', 'undone'][effectOf(remote, generation)],
      ['never open', 'open once', 'refused', 'may have acted', 'succeeded'][knownOf(remote, generation)],
      ...late.map((direction) => `a late ${direction}`),
    ]
    return [`g${generation}`, words.join(', ')] as const
  })
  return { handlers: handlers.filter((phase) => phase !== '').join(' + '), ...Object.fromEntries(keys) }
}
