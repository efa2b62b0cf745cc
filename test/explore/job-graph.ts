import type { JobMachine } from './job-machine.js'
import { JobMovesAhead, moveOf, readMove, type Move } from './job-moves.js'
import { handlerAt, running } from './remote.js'
import { mostTicks, tickMs } from './canonical.js'

/** The successors of one state of a job. */
export interface Expansion {
  /** The next states, each with the move that leads to it. */
  readonly targets: readonly number[]
  readonly moves: readonly Move[]
  /** Moves that break an invariant, each with the problem. */
  readonly broken: { readonly index: number; readonly problem: string } | null
  /** The invariant that the state itself breaks. */
  readonly problem: string | null
  /** The next state without further faults, or -1 if the job waits for time or for nothing. */
  readonly drained: number
  /** Milliseconds until the job changes by itself, or 0 for never. */
  readonly nextMs: number
  /** Whether the job may stay in this state: it has ended, or waits for an operator and says so. */
  readonly mayRest: boolean
}

/** The continuation of a job without faults. */
export type Ahead = Pick<Expansion, 'drained' | 'nextMs' | 'mayRest'>

/** The order of moves without faults. Moves that are not listed are faults and do not happen. */
const urgency: readonly Move[] = [
  'look',
  'succeed',
  'act',
  'refuse',
  'lose',
  'begin',
  'claim and begin',
  'join and begin',
  'recover',
  'recover job',
].map((name) => moveOf(name as Parameters<typeof moveOf>[0]) & 31)

/** The states of one job and the moves between them, computed on demand. */
export class JobGraph {
  private readonly ahead: JobMovesAhead
  private readonly kept: Expansion[] = []
  private readonly later = new Map<number, number>()
  /** The ends of jobs, or `waiting` for those that wait for an operator. */
  readonly ends = new Set<string>()
  private readonly drains: number[] = []
  private readonly waits: number[] = []
  private targets: number[] = []
  private moves: Move[] = []
  private broken: Expansion['broken'] = null

  /**
   * Creates a graph. It keeps expansions if there are two jobs, whose states combine the same ones
   * repeatedly.
   */
  constructor(
    readonly machine: JobMachine,
    private readonly isKept: boolean,
  ) {
    this.ahead = new JobMovesAhead(machine, (move, problem) => this.note(move, problem))
  }

  of(state: number): Expansion {
    if (!this.isKept) return this.expand(state)
    return (this.kept[state] ??= this.expand(state))
  }

  /** Returns the kept data of an expanded state. */
  aheadOf(state: number): Ahead {
    const drained = this.drains[state]
    const wait = this.waits[state]
    if (drained === undefined || wait === undefined) return this.of(state)
    return { drained, nextMs: Math.abs(wait) - 1, mayRest: wait > 0 }
  }

  /** Returns the state after this much time. */
  after(state: number, ms: number): number {
    const key = state * mostTicks + ms / tickMs
    const known = this.isKept ? this.later.get(key) : undefined
    if (known !== undefined) return known
    this.machine.enter(state)
    this.machine.wait(ms)
    const made = this.machine.arrive()
    if (this.isKept) this.later.set(key, made)
    return made
  }

  private expand(state: number): Expansion {
    const { machine } = this
    this.targets = []
    this.moves = []
    this.broken = null
    machine.enter(state)
    const problem = machine.problem()
    this.ahead.all()
    const { isTerminal, isParked, processState } = machine.jobMoves()
    const drained = this.drained()
    const nextMs = machine.nextInstant()
    const mayRest = isTerminal || isParked
    if (mayRest) this.ends.add(isTerminal ? processState : 'waiting')
    this.drains[state] = drained
    this.waits[state] = mayRest ? nextMs + 1 : -nextMs - 1
    return {
      targets: this.targets,
      moves: this.moves,
      broken: this.broken,
      problem,
      drained,
      nextMs,
      mayRest,
    }
  }

  private note(move: Move, problem: string | null): void {
    const target = this.machine.arrive()
    if (problem !== null) this.broken ??= { index: this.targets.length, problem }
    this.targets.push(target)
    this.moves.push(move)
  }

  private drained(): number {
    const best = this.moves
      .map((move, index) => ({ rank: this.rankOf(move), index }))
      .reduce((first, other) => (other.rank < first.rank ? other : first), {
        rank: urgency.length,
        index: -1,
      })
    return this.targets[best.index] ?? -1
  }

  /** Returns the position of a move in the order without faults. */
  private rankOf(move: Move): number {
    const { machine } = this
    const { name, place, which } = readMove(move)
    const rank = urgency.indexOf(move & 31)
    if (rank < 0) return urgency.length
    if (name === 'look' && (which > 0 || !machine.isCalled)) return urgency.length
    const isRunning = handlerAt(machine.remote(place), 0) !== running.no
    if (name.endsWith('begin') && isRunning) return urgency.length
    if (name === 'lose' && machine.movesOf(place).isOpen) return urgency.length
    return rank
  }
}
