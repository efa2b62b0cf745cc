import { FeedHints } from '../change-feed-processor/internal.js'
import type { Processes } from '../platform/internal.js'
import { silent } from '../telemetry/internal.js'
import {
  answerText,
  hintsOf,
  signatureHeader,
  wakeAddressText,
  WakeUpsOfOthers,
  type DoorRequest,
  type ListLeases,
  type TakenWork,
  type Unread,
} from '../wake-up/index.js'
import type { Network, Wiring } from './network.js'
import type { SimulatedProcess } from './simulated-process.js'

const wiring: Wiring = {
  party: 'wake-up',
  writePointOf: () => null,
  lost: (_method, cause) => Promise.reject(cause),
  stale: (_request, answer) => answer,
}

/** A process that takes hints. */
interface Door {
  readonly process: SimulatedProcess
  readonly others: WakeUpsOfOthers
  readonly key: string
  readonly takenWork: () => TakenWork
}

/** What a process needs to wake others and to be woken. */
export interface WakingProcess {
  readonly hints: FeedHints
  readonly wakeAddress: string
}

/** Lets simulated processes wake each other over the network, which loses, delays and repeats their hints. */
export class FleetWakeUps {
  private readonly doors = new Map<string, Door>()
  private taking: { readonly scheduler: string; readonly atMs: number } | null = null

  constructor(
    private readonly network: Network,
    private readonly nowMs: () => number,
  ) {}

  /**
   * Returns the scheduler that said last, and in the last 5 s, that it takes jobs. Real clients ask all
   * processes. So jobs begin here even if the scheduler or the agents of their range do not run.
   */
  takingScheduler(): string | null {
    const { taking } = this
    return taking !== null && this.nowMs() - taking.atMs < 5_000 ? taking.scheduler : null
  }

  /** Opens the door of a process. `list` lists the leases of a role as this process sees them. */
  open(
    process: SimulatedProcess,
    list: ListLeases,
    { processes, takenWork }: { readonly processes: Processes; readonly takenWork: () => TakenWork },
  ): WakingProcess {
    const hints = new FeedHints()
    const origin = `http://process-${this.doors.size}:8181`
    const key = `the-key-of-process-${this.doors.size}`
    const line = this.network.connect({ tell: (request: DoorRequest) => this.take(request) }, process, wiring)
    const others = new WakeUpsOfOthers({
      hints,
      list,
      processes,
      clock: process.clock,
      telemetry: silent,
      session: process.id,
      post: (request) => line.tell(request),
    })
    const wakeAddress = wakeAddressText({ origin, key })
    others.ownAddressIs(wakeAddress)
    this.doors.set(origin, { process, others, key, takenWork })
    return { hints, wakeAddress }
  }

  private async take({ origin, path, body, headers }: DoorRequest): Promise<string> {
    const door = this.doors.get(origin)
    if (door === undefined || door.process.isCrashed) throw new Error(`${origin} does not answer`)
    const { process, others, key, takenWork } = door
    const received = { path, body, signature: headers[signatureHeader] ?? '' }
    const message = hintsOf(received, key, process.clock.now())
    if (message === null) throw new Error(`${origin} refuses the hint`)
    let unread: Unread = {}
    process.run(() => {
      unread = others.receive(message)
    })
    const taken = takenWork()
    if (taken.scheduler !== null) this.taking = { scheduler: taken.scheduler, atMs: this.nowMs() }
    return answerText(taken, unread)
  }
}
