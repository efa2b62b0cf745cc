import type { JobMachine } from './job-machine.js'
import { JobMovesAhead, moveOf, readMove, type Move } from './job-moves.js'
import { handlerAt, running } from './remote.js'
import { mostTicks, tickMs } from './canonical.js'

/** What follows from one state of a job. */
export interface Expansion {
  /** States, each with the move that leads there. */
  readonly targets: readonly number[]
  readonly moves: readonly Move[]
  /** Where a move breaks an invariant: which, and how. */
  readonly broken: { readonly index: number; readonly problem: string } | null
  /** What the state itself breaks. */
  readonly problem: string | null
  /** The state that follows when nothing goes wrong any more; -1 where the job waits for time, or for nothing. */
  readonly drained: number
  /** Milliseconds until something about the job changes by itself; 0 for never. */
  readonly nextMs: number
  /** Whether the job may stay as it is: it has ended, or waits for an operator and says so. */
  readonly mayRest: boolean
}

/** What a job comes to when nothing goes wrong. */
export type Ahead = Pick<Expansion, 'drained' | 'nextMs' | 'mayRest'>

/** What comes first when nothing goes wrong; the rest is given to chance, and left out. */
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

/** The states of one job and what leads from each to which, found as they are asked for. */
export class JobGraph {
  private readonly ahead: JobMovesAhead
  private readonly kept: Expansion[] = []
  private readonly later = new Map<number, number>()
  /** Where jobs may stay: how they ended, or `waiting` for an operator. */
  readonly ends = new Set<string>()
  private readonly drains: number[] = []
  private readonly waits: number[] = []
  private targets: number[] = []
  private moves: Move[] = []
  private broken: Expansion['broken'] = null

  /** Expansions are kept where states of two jobs are made of the same ones again and again. */
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

  /** What is remembered of every state that was expanded. */
  aheadOf(state: number): Ahead {
    const drained = this.drains[state]
    const wait = this.waits[state]
    if (drained === undefined || wait === undefined) return this.of(state)
    return { drained, nextMs: Math.abs(wait) - 1, mayRest: wait > 0 }
  }

  /** The state so much later. */
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

  /** How soon a move is made when nothing goes wrong. */
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
