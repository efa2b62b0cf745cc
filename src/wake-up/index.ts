/**
 * # Wake-ups between processes
 *
 * A role learns of a write by its next poll. A process that wrote can tell the process that must read. It sends a
 * signed message to the address in the lease of the feed range:
 *
 * ```text
 *  writer                              reader
 *  FeedHints ─► WakeUpsOfOthers ──────► Door ─► FeedHints ─► the poll ends its pause
 *                │ WakeDirectory         │
 *                │ (leases, listed       │
 *                │  when needed)         │
 *  waiting   ◄───┴── "has it ended?" ────┴── AwaitedEnds ◄── JobEndings
 *  client
 * ```
 *
 * - `wake-address.ts` is the address in a lease: an origin, and a key that only readers of leases know.
 * - `message.ts` has the two requests, `POST /wake` and `POST /ended`, and their signature.
 * - `door.ts` takes requests. `awaited-ends.ts` remembers for which jobs other processes wait.
 * - `directory.ts` finds the address for a role and a physical partition in the leases.
 * - `neighbour.ts` gathers what one process must be told, and remembers which work it takes. `post.ts` sends it.
 * - `wake-ups.ts` sends the hints of this process. `waits-elsewhere.ts` moves waits to the next owner of a lease.
 *
 * A message changes only when a role or a client reads (D10), and whether a submission begins its job. A lost, late,
 * repeated or wrong message costs a delay or one read. So no hint is sent twice, and every poll stays.
 */
import type { FeedHints } from '../change-feed-processor/internal.js'
import type { Clock } from '../platform/index.js'
import { errorMessage, machineProcesses, systemRandom, withinLimit } from '../platform/internal.js'
import type { EndHints, WakeUps } from '../sas/internal.js'
import type { Telemetry } from '../telemetry/index.js'
import { AwaitedEnds } from './awaited-ends.js'
import type { ListLeases } from './directory.js'
import { openDoor, type Door, type DoorParts, type DoorPlace } from './door.js'
import type { HintMessage, TakenWork, Unread } from './message.js'
import { keptConnections } from './post.js'
import { WakeUpsOfOthers } from './wake-ups.js'

export { wakeAddressText, wakeOrigin } from './wake-address.js'
export { answerText, hintsOf, signatureHeader, type TakenWork, type Unread } from './message.js'
export { WakeUpsOfOthers } from './wake-ups.js'
export type { DoorRequest } from './post.js'
export type { ListLeases } from './directory.js'
export type { DoorPlace } from './door.js'

interface WakeUpLinkOptions {
  readonly hints: FeedHints
  readonly list: ListLeases
  readonly clock: Clock
  readonly telemetry: Telemetry
  /** Where this process takes hints, and reports its work and the ends of its jobs. Omitted: nowhere. */
  readonly door?: {
    readonly place: DoorPlace
    readonly endings: WakeUps
    readonly takenWork: () => TakenWork
  }
}

/** The link of a process to the other processes that share its containers. */
export interface WakeUpLink {
  /** The address for the leases of this process. Undefined if it takes no hints. */
  readonly wakeAddress: string | undefined
  readonly endHints: EndHints
  /**
   * Returns the name of a scheduler of another process, if the schedulers and the agents of all feed ranges
   * said in the last 5 s that they take work. Otherwise null.
   */
  readonly takingScheduler: () => string | null
  /** Closes the link when the last hints have been sent, after at most half a second. */
  close(): Promise<void>
}

/** The longest time that a closing link waits until its last hints are sent. A longer wait would only delay the end of the process. */
const lastHintsMs = 500

/**
 * Links this process to the others: sends its hints to them, and takes theirs. If the port of an origin is
 * not available, the process takes hints from this machine only, and emits `host.advised`.
 */
export async function openWakeUpLink(options: WakeUpLinkOptions): Promise<WakeUpLink> {
  const { door: wanted, clock, telemetry } = options
  const connections = keptConnections()
  const others = new WakeUpsOfOthers({
    ...options,
    processes: machineProcesses,
    session: systemRandom.id(),
    post: connections.post,
  })
  const ends = wanted === undefined ? null : new AwaitedEnds(wanted.endings, clock)
  const onHints = (message: HintMessage): Unread => {
    const { awaited } = message
    if (awaited !== undefined) ends?.add(awaited.session, awaited.jobs)
    return others.receive(message)
  }
  const door =
    wanted === undefined || ends === null
      ? null
      : await openedDoor(
          wanted.place,
          { key: systemRandom.id(), clock, ends, onHints, takenWork: wanted.takenWork },
          telemetry,
        )
  if (door !== null) others.ownAddressIs(door.address)
  return {
    wakeAddress: door?.address,
    endHints: others,
    takingScheduler: () => others.takingScheduler(),
    close: async () => {
      await withinLimit(clock, lastHintsMs, others.told(), () => undefined)
      others.close()
      ends?.close()
      await door?.close()
      connections.close()
    },
  }
}

/** Opens a door. Returns null if not even this machine can have one, because hints are never needed. */
async function openedDoor(place: DoorPlace, parts: DoorParts, telemetry: Telemetry): Promise<Door | null> {
  try {
    return await openDoor(place, parts)
  } catch (error) {
    if (place.kind === 'loopback') return null
    const advice =
      `hints of other machines cannot be taken at ${place.origin}: ${errorMessage(error)}; ` +
      'free the port, or choose another wake address'
    telemetry.emit({ type: 'host.advised', advice })
    return openedDoor({ kind: 'loopback' }, parts, telemetry)
  }
}
