import type { LeaseStore } from '../../lease-store/index.js'
import type { Container } from '../emulator/engine/index.js'
import type { Clock } from '../platform/index.js'

/** The work that a process takes: the name of its scheduler if it takes jobs, and whether its agents take steps. */
export interface TakenWork {
  readonly scheduler: string | null
  readonly agents: boolean
}

/** Asks a process which work it takes. Resolves with null if the process has ended. */
export type AskForWork = () => Promise<TakenWork | null>

/** The names of the deployment units of the schedulers and of the agents. */
export interface WorkingUnits {
  readonly scheduler: string
  readonly agents: string
}

/** The processes that run roles on a container, by the names of their instances. */
export class Takers {
  private static readonly known = new WeakMap<Container, Takers>()
  private readonly asking = new Map<string, AskForWork>()

  static of(container: Container): Takers {
    const takers = Takers.known.get(container) ?? new Takers()
    Takers.known.set(container, takers)
    return takers
  }

  /** Adds a process. Returns a function that removes it. */
  add(instanceName: string, ask: AskForWork): () => void {
    this.asking.set(instanceName, ask)
    return () => {
      if (this.asking.get(instanceName) === ask) this.asking.delete(instanceName)
    }
  }

  /**
   * Returns the name of a scheduler that takes jobs, if every owner of a lease of the schedulers and of the agents
   * answers that it takes work. Otherwise returns null. Waits for the answers of all of them.
   */
  async takingScheduler(leasesOf: (unit: string) => LeaseStore, units: WorkingUnits): Promise<string | null> {
    const [schedulers, agents] = await Promise.all(
      [units.scheduler, units.agents].map((unit) => this.worksOf(leasesOf(unit))),
    )
    if (agents?.every((work) => work?.agents === true) !== true) return null
    const names = schedulers?.map((work) => work?.scheduler ?? null) ?? []
    return names.includes(null) ? null : (names[0] ?? null)
  }

  /** Returns what each owner of a lease takes. Null if there is no lease. */
  private async worksOf(leases: LeaseStore): Promise<readonly (TakenWork | null)[] | null> {
    const listing = await leases.list()
    const owners = [...new Set(listing.leases.map(({ owner }) => owner))]
    const works = owners.map(async (owner) =>
      owner === null ? null : ((await this.asking.get(owner)?.()) ?? null),
    )
    return owners.length === 0 ? null : Promise.all(works)
  }
}

/** An answer is used for this time after its question. */
const knownMs = 5_000

/** The shortest time between two questions. */
const pauseMs = 1_000

/**
 * Remembers which scheduler takes jobs. The caller never waits: it uses an answer of the last 5 s, and causes the
 * next question. So the first job after a pause is not begun by its submission.
 */
export class KnownScheduler {
  private question = 0
  private askedAtMs = -Infinity
  private answer: { readonly name: string | null; readonly askedAtMs: number } | null = null

  /** @param ask sends a question. The answer to it is passed to `answered`, with the number of the question. */
  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly ask: (question: number) => void,
  ) {}

  name(): string | null {
    const nowMs = this.clock.monotonic()
    if (nowMs - this.askedAtMs >= pauseMs) {
      this.askedAtMs = nowMs
      this.question += 1
      this.ask(this.question)
    }
    return this.answer !== null && nowMs - this.answer.askedAtMs < knownMs ? this.answer.name : null
  }

  /** Ignores the answer to a question that is not the last one, because its age is unknown. */
  answered(question: number, name: string | null): void {
    if (question === this.question) this.answer = { name, askedAtMs: this.askedAtMs }
  }
}
