import { production, type Decisions } from './decisions.js'
import { JobGraph } from './job-graph.js'
import { JobMachine } from './job-machine.js'
import { TupleTable } from './tuple-table.js'
import type { World } from './world.js'

export interface Bounds {
  readonly maxStates: number
  readonly depth: number
}

/** An invariant that is broken in a state, or by a move from it. */
export interface Violation {
  readonly problem: string
  /**
   * The number of the state. With `job` and `index`, it identifies the move from this state that breaks the
   * invariant.
   */
  readonly state: number
  readonly job: number | null
  readonly index: number
}

export interface Exploration {
  readonly states: number
  readonly transitions: number
  readonly depth: number
  /** The numbers of states and documents of a single job. */
  readonly ofOneJob: number
  readonly documents: number
  /** How jobs ended, or `waiting` if they waited for an operator. */
  readonly ends: readonly string[]
  /** Whether the search visited every state. */
  readonly isComplete: boolean
  readonly violation: Violation | null
}

/** The most moves within which a job must end without further faults. */
const mostMovesToRest = 400

/**
 * Searches the states of a world breadth first. A state has one number for each job. Jobs share only time, so
 * the moves of one job are found once and combined with every state of the other.
 */
export class Explorer {
  readonly graph: JobGraph
  readonly states: TupleTable
  readonly here: Int32Array
  private readonly next: Int32Array
  private parents = new Int32Array(2 ** 16)
  private transitions = 0

  constructor(
    readonly world: World,
    decisions: Decisions = production,
    private readonly progress: (states: number, depth: number) => void = () => undefined,
  ) {
    this.graph = new JobGraph(new JobMachine(world, decisions), world.jobs > 1)
    this.states = new TupleTable(world.jobs)
    this.here = new Int32Array(world.jobs)
    this.next = new Int32Array(world.jobs)
  }

  explore(bounds: Bounds): Exploration {
    this.next.fill(this.graph.machine.begin())
    this.arrive(-1)
    let depth = 0
    let levelEnds = 1
    let expanded = 0
    for (; expanded < this.states.size && this.states.size < bounds.maxStates; expanded += 1) {
      if (expanded === levelEnds) {
        if (depth + 1 >= bounds.depth) break
        depth += 1
        levelEnds = this.states.size
        this.progress(this.states.size, depth)
      }
      const violation = this.expand(expanded)
      if (violation !== null) return this.found(depth, false, violation)
    }
    const isComplete = expanded === this.states.size
    return this.found(depth, isComplete, this.restless(0, expanded))
  }

  /** Returns the states from the first to this one. */
  pathTo(state: number): number[] {
    const path = []
    for (let at = state; at >= 0; at = this.parents[at] ?? -1) path.unshift(at)
    return path
  }

  /** Returns the states of the single jobs in this state. */
  jobsOf(state: number): readonly number[] {
    this.states.read(state, this.here)
    return [...this.here]
  }

  private found(depth: number, isComplete: boolean, violation: Violation | null): Exploration {
    const { machine } = this.graph
    const { jobs, steps } = machine.tables
    return {
      states: this.states.size,
      transitions: this.transitions,
      depth,
      ofOneJob: machine.states.size,
      documents: jobs.size + steps.size,
      ends: [...this.graph.ends].sort(),
      isComplete,
      violation,
    }
  }

  private expand(state: number): Violation | null {
    const { here, next, graph } = this
    this.states.read(state, here)
    let waitMs = 0
    for (let job = 0; job < here.length; job += 1) {
      // If both jobs are in the same state, their moves are the same, so one job is enough.
      const { targets, broken, problem, nextMs } = graph.of(here[job] ?? 0)
      if (problem !== null) return { problem, state, job: null, index: -1 }
      if (broken !== null) return { problem: broken.problem, state, job, index: broken.index }
      if (nextMs > 0 && (waitMs === 0 || nextMs < waitMs)) waitMs = nextMs
      if (job > 0 && here[job] === here[0]) continue
      this.transitions += targets.length
      for (const target of targets) {
        next.set(here)
        next[job] = target
        this.arrive(state)
      }
    }
    if (waitMs > 0) {
      this.transitions += 1
      for (let job = 0; job < here.length; job += 1) next[job] = graph.after(here[job] ?? 0, waitMs)
      this.arrive(state)
    }
    return null
  }

  /** Returns the number of the state in `next`. Jobs of one plan are interchangeable, so they are sorted. */
  private arrive(from: number): number {
    const { next, states } = this
    const [first = 0, second = first] = next
    if (first > second) {
      next[0] = second
      next[1] = first
    }
    const before = states.size
    const state = states.add(next)
    if (states.size > before) this.rememberParent(state, from)
    return state
  }

  private rememberParent(state: number, from: number): void {
    if (state >= this.parents.length) {
      const larger = new Int32Array(this.parents.length * 2)
      larger.set(this.parents)
      this.parents = larger
    }
    this.parents[state] = from
  }

  /** Explains why these jobs would not end without further faults, or returns null if they would. */
  problemAhead(jobs: readonly number[]): string | null {
    this.next.set(jobs)
    const state = this.arrive(-1)
    return this.restless(state, state + 1)?.problem ?? null
  }

  /**
   * I8: checks that the jobs of each of these states end without further faults, or wait for an operator and
   * say so. From there on the feed delivers what is left, handlers succeed, the supervisor finds what is due,
   * and time passes.
   */
  private restless(from: number, until: number): Violation | null {
    let isGood = new Uint8Array(this.states.size)
    for (let state = from; state < until; state += 1) {
      const path: number[] = []
      let at = state
      while (isGood[at] !== 1) {
        if (path.length > mostMovesToRest) {
          const problem = `I8: no end within ${mostMovesToRest} moves without a fault`
          return { problem, state, job: null, index: -1 }
        }
        path.push(at)
        const follower = this.drained(at)
        if (follower === 'rests') break
        if (follower === 'stands') {
          const problem = 'I8: it stands still, has not ended and is not flagged'
          return { problem, state: at, job: null, index: -1 }
        }
        at = follower
      }
      if (this.states.size > isGood.length) {
        const larger = new Uint8Array(this.states.size * 2)
        larger.set(isGood)
        isGood = larger
      }
      for (const passed of path) isGood[passed] = 1
    }
    return null
  }

  private drained(state: number): number | 'rests' | 'stands' {
    const { here, next, graph, states } = this
    states.read(state, here)
    next.set(here)
    let waitMs = 0
    let mayRest = true
    for (let job = 0; job < here.length; job += 1) {
      const expansion = graph.aheadOf(here[job] ?? 0)
      if (expansion.drained >= 0) {
        next[job] = expansion.drained
        return this.arrive(state)
      }
      mayRest &&= expansion.mayRest
      if (expansion.nextMs > 0 && (waitMs === 0 || expansion.nextMs < waitMs)) waitMs = expansion.nextMs
    }
    if (waitMs === 0) return mayRest ? 'rests' : 'stands'
    for (let job = 0; job < here.length; job += 1) next[job] = graph.after(here[job] ?? 0, waitMs)
    return this.arrive(state)
  }
}
