import { judgeOpening, judgeUndo } from './effects.js'
import type { JobMachine } from './job-machine.js'
import {
  called,
  handlerAt,
  isClaimant,
  isFirstAhead,
  isLate,
  known,
  knownOf,
  mostGenerations,
  mostHandlers,
  running,
  withFirstAhead,
  withHandler,
  withKnown,
  withLate,
  type Key,
} from './remote.js'
import type { StepMoves } from './step-moves.js'
import type { Writing } from './writing.js'

/** The kinds of moves, in the order in which they are tried. */
const moveNames = [
  'look',
  'begin',
  'join and begin',
  'claim and begin',
  'act',
  'call again',
  'lose',
  'succeed',
  'fail',
  'refuse',
  'extend',
  'give back',
  'late call',
  'late delivery',
  'late outcome',
  'recover',
  'recover job',
  'raise',
  'operate',
  'wait',
] as const
export type MoveName = (typeof moveNames)[number]

/** A move of one job in one integer: its name, the step's place, and further details. */
export type Move = number

export function moveOf(name: MoveName, place = 0, which = 0): Move {
  return moveNames.indexOf(name) | (place << 5) | (which << 8)
}

export function readMove(move: Move): {
  readonly name: MoveName
  readonly place: number
  readonly which: number
} {
  return { name: moveNames[move & 31] ?? 'look', place: (move >> 5) & 7, which: move >> 8 }
}

/** Called for every next state of the current one, which is in `machine.next`. */
export type Follow = (move: Move, problem: string | null) => void

const stored = 0
const notAtHand = 1
const replaced = 2

/** All moves from a machine's current state, except the passing of time. */
export class JobMovesAhead {
  constructor(
    private readonly machine: JobMachine,
    private readonly follow: Follow,
  ) {}

  all(): void {
    const { machine } = this
    const { isTerminal, recovery } = machine.jobMoves()
    this.looks()
    for (let place = 0; place < machine.stepCount; place += 1) {
      const moves = machine.movesOf(place)
      if (moves.isOperation) this.agents(place, moves)
      this.supervisor(place, moves, isTerminal)
    }
    if (recovery !== null) this.written(moveOf('recover job'), recovery)
    this.operators()
  }

  /** A scheduler examines its versions of the steps, because the feed delivers a change or repeats it. */
  private looks(): void {
    const { machine } = this
    const fresh = machine.fresh()
    if (fresh.writing !== null) this.written(moveOf('look'), fresh.writing)
    if (!machine.world.staleReads || machine.jobMoves().isTerminal) return
    const views = 1 << (2 * machine.stepCount)
    for (let versions = 1; versions < views; versions += 1) {
      if (!this.hasVersions(versions)) continue
      const writing = machine.seenAs(versions)
      if (writing === null || writing === fresh.writing || machine.isConflict(writing)) continue
      this.written(moveOf('look', 0, versions), writing, machine.staleProblemOf(writing))
    }
  }

  private hasVersions(versions: number): boolean {
    for (let place = 0; place < this.machine.stepCount; place += 1) {
      const version = (versions >> (place * 2)) & 3
      const isThere =
        version === stored || version === notAtHand || (version === replaced && this.machine.old(place) >= 0)
      if (!isThere) return false
    }
    return true
  }

  private agents(place: number, moves: StepMoves): void {
    const { machine } = this
    const { world } = machine
    const remote = machine.remote(place)
    const free = handlerAt(remote, mostHandlers - 1) === running.no ? mostHandlers - 1 : -1
    const isFirst = handlerAt(remote, 0) === running.no
    if (moves.isOffered && free >= 0 && (isFirst || world.overlaps)) this.begins(place, moves, free)
    for (let at = 0; at < mostHandlers; at += 1) {
      const isSame = at > 0 && handlerAt(remote, at) === handlerAt(remote, at - 1)
      const isTwin = isSame && isClaimant(remote, at) === isClaimant(remote, at - 1)
      if (handlerAt(remote, at) !== running.no && !isTwin) this.handler(place, moves, at)
    }
    if (world.lateCalls) this.late(place, moves)
    moves.lateOutcomes.forEach((writing, which) => {
      if (knownOf(remote, moves.key.generation) === known.neverOpen) return
      const problem = 'I2, I3: what an earlier attempt came to is recorded'
      this.written(moveOf('late outcome', place, which), writing, problem)
    })
  }

  /** An agent starts. It is the first with the attempt, or it has recorded that it acts, too. */
  private begins(place: number, moves: StepMoves, free: number): void {
    const { machine } = this
    const { claim, join } = moves
    if (moves.isClaimRequired) {
      if (claim !== null) this.begin(moveOf('claim and begin', place), place, free, claim)
      return
    }
    if (isFirstAhead(machine.remote(place))) this.begin(moveOf('begin', place), place, free, null)
    if (machine.world.overlaps && moves.mayJoin)
      this.begin(moveOf('join and begin', place), place, free, join)
  }

  private begin(move: Move, place: number, free: number, first: Writing | null): void {
    const { machine } = this
    if (first === null) this.same()
    else machine.write(first)
    const { name } = readMove(move)
    let remote = withHandler(
      machine.remote(place, machine.next),
      free,
      running.begun,
      name === 'claim and begin',
    )
    if (name === 'begin') remote = withFirstAhead(remote, false)
    const { key } = machine.movesOf(place)
    const isDoubled = name === 'join and begin' && key.direction === 'do'
    if (isDoubled) remote = withKnown(remote, key.generation, known.mayHaveActed)
    machine.setRemote(place, remote)
    this.follow(move, first?.problem ?? null)
  }

  /** The next moves of one handler. */
  private handler(place: number, moves: StepMoves, at: number): void {
    const { machine } = this
    const { key } = moves
    const { world } = machine
    const remote = machine.remote(place)
    const phase = handlerAt(remote, at)
    const holdsClaim = isClaimant(remote, at)
    const turn = (word: number, from = remote): number => withHandler(from, at, word, holdsClaim)
    if (phase !== running.acted) {
      const after = called(remote, key)
      if (after !== null) this.remote(moveOf('act', place, at), place, turn(running.acted, after))
    }
    if (world.tries && phase !== running.callsAgain) {
      this.remote(moveOf('call again', place, at), place, turn(running.callsAgain))
    }
    this.lose(place, moves, at)
    if (phase === running.acted) {
      moves.successes.forEach((writing, which) => {
        this.settled(moveOf('succeed', place, at | (which << 1)), writing, place, at)
      })
    }
    if (moves.failure !== null) this.settled(moveOf('fail', place, at), moves.failure, place, at)
    const refusal = moves.refusals[phase === running.begun ? 0 : 1]
    if (refusal !== null && phase !== running.acted) {
      this.settled(moveOf('refuse', place, at), refusal, place, at)
    }
    if (world.extends) this.extend(place, at)
    if (world.stops) this.giveBack(place, at)
  }

  /** The process ends, or stops waiting for the handler. Nothing about the handler is written. */
  private lose(place: number, moves: StepMoves, at: number): void {
    const { machine } = this
    const remote = machine.remote(place)
    this.same()
    if (isClaimant(remote, at)) machine.setDocument(place, moves.unclaimed)
    machine.setRemote(place, withHandler(remote, at, running.no, false))
    this.follow(moveOf('lose', place, at), null)
  }

  private settled(move: Move, writing: Writing, place: number, at: number): void {
    const { machine } = this
    const before = machine.remote(place)
    const { key } = machine.movesOf(place)
    machine.write(writing)
    let after = withHandler(before, at, running.no, false)
    if (key.direction === 'do') {
      const { name } = readMove(move)
      const isRefusal = name === 'refuse'
      const isOnly =
        handlerAt(before, at) === running.begun && knownOf(before, key.generation) === known.openOnce
      const failure = isRefusal && isOnly ? known.refused : known.mayHaveActed
      after = withKnown(after, key.generation, name === 'succeed' ? known.succeeded : failure)
    }
    machine.setRemote(place, after)
    this.follow(move, writing.problem)
  }

  private extend(place: number, at: number): void {
    const { machine } = this
    const remote = machine.remote(place)
    const writing = machine.extensionOf(place, isClaimant(remote, at))
    if (writing === null) return
    machine.write(writing)
    machine.setRemote(place, withHandler(remote, at, handlerAt(remote, at), true))
    this.follow(moveOf('extend', place, at), writing.problem)
  }

  /** The host stops. Its handler goes on until the deadline if it does not notice. */
  private giveBack(place: number, at: number): void {
    const { machine } = this
    const remote = machine.remote(place)
    const writing = machine.giveBackOf(place, isClaimant(remote, at))
    if (writing === null) return
    machine.write(writing)
    if (!writing.steps.some(({ isFenced }) => isFenced))
      machine.setRemote(place, withHandler(remote, at, running.no, false))
    this.judged(moveOf('give back', place, at), writing, null)
  }

  /** Calls whose callers are gone: they were delayed, or an old version of the step was delivered late. */
  private late(place: number, moves: StepMoves): void {
    const { machine } = this
    const remote = machine.remote(place)
    for (let generation = 1; generation <= mostGenerations; generation += 1) {
      for (const direction of ['do', 'undo'] as const) {
        const key: Key = { generation, direction }
        const after = isLate(remote, key) ? called(remote, key) : null
        if (after !== null)
          this.remote(moveOf('late call', place, generation * 2 + Number(direction === 'undo')), place, after)
      }
    }
    const old = machine.old(place)
    if (old < 0) return
    const offered = machine.movesOfOld(place)
    const version = machine.tables.steps.at(old)
    // Other processes must write before they act, and their write is refused.
    const isUnasked = version.joinedFence === version.fence
    if (!offered.isOffered || version.isClaimRequired || !isUnasked) return
    const after = withLate(remote, offered.key)
    if (after !== remote && moves.isOperation) this.remote(moveOf('late delivery', place), place, after)
  }

  private supervisor(place: number, moves: StepMoves, isTerminal: boolean): void {
    const writing = isTerminal ? moves.rest : moves.recovery
    if (writing !== null) this.written(moveOf('recover', place), writing)
    if (moves.event !== null && !isTerminal) this.written(moveOf('raise', place), moves.event)
  }

  private operators(): void {
    const { machine } = this
    const { commands, mostCommands } = machine.world
    if (machine.commandsGiven >= mostCommands) return
    commands.forEach((name, which) => {
      const writing = machine.commandOf(name)
      if (writing === null) return
      machine.write(writing)
      machine.countCommand()
      this.judged(moveOf('operate', 0, which), writing, null)
    })
  }

  private written(move: Move, writing: Writing, problem: string | null = null): void {
    this.machine.write(writing)
    this.judged(move, writing, problem)
  }

  private judged(move: Move, writing: Writing, problem: string | null): void {
    let found = problem ?? writing.problem
    for (const step of writing.steps) {
      const before = this.machine.remote(step.place)
      found ??= judgeUndo(step, before) ?? judgeOpening(step, before)
    }
    this.follow(move, found)
  }

  private remote(move: Move, place: number, after: number): void {
    this.same()
    this.machine.setRemote(place, after)
    this.follow(move, null)
  }

  private same(): void {
    this.machine.next.set(this.machine.here)
  }
}
