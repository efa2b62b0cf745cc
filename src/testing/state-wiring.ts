import type { Change } from '../change-feed-processor/index.js'
import type { Container, VersionFields } from '../emulator/engine/index.js'
import { storeError } from '../sas/store/cosmos/cosmos-store-error.js'
import type { DocumentAddress, StateWrite, Stored } from '../sas/internal.js'
import type { Checker, SimulationEvent } from './events.js'
import { feedWiring } from './lease-wiring.js'
import type { Request, Wiring } from './network.js'
import { writePointOf, type Party } from './write-points.js'

/** The methods whose answers are only hints and may be stale. */
const hintMethods: ReadonlySet<string> = new Set([
  'listOverdue',
  'listUnsent',
  'listFlagged',
  'listConcerned',
])
const listMethods: ReadonlySet<string> = new Set([
  'listSteps',
  'listJobs',
  'listNotices',
  'listUndelivered',
  'listSchedules',
  'listGates',
  'listOperated',
])

/** The number of versions by which a replica may be behind. */
const replicaLag = 2

/**
 * Creates the wirings of a state store and its feed, and the answers of stale replicas. Reads have session
 * consistency, as the store interface promises: a process never reads an older version than one that it has
 * written, read or received.
 */
export class StateWirings implements Checker {
  /** Earlier versions by partition key and id, with the newest last. */
  private readonly earlier = new Map<string, VersionFields[]>()
  /** The newest LSN that each process has seen for each partition key. */
  private readonly seen = new Map<string, number>()
  /** The previous answer of each method. */
  private readonly earlierHints = new Map<string, unknown>()

  /** @param name the name of the state container; the world must report the container's changes to `check` */
  constructor(
    private readonly name: string,
    private readonly container: () => Container,
  ) {}

  check(event: SimulationEvent): readonly string[] {
    if (event.type !== 'written' || event.container !== this.name || event.before === null) return []
    const place = `${event.before.keyText} ${event.before.id}`
    const versions = [...(this.earlier.get(place) ?? []), event.before]
    this.earlier.set(place, versions.slice(-replicaLag))
    return []
  }

  store(party: Party): Wiring {
    return {
      party,
      writePointOf: (method, args) =>
        method === 'apply'
          ? writePointOf(party, args[1] as readonly StateWrite[], (address) => this.find(address))
          : null,
      lost: (method, cause) =>
        method === 'apply' ? Promise.resolve({ kind: 'unknownOutcome', cause }) : unavailable(method, cause),
      // A refused batch is certainly not written. So the call fails as in the real adapter, with the pause
      // that the store requests.
      refused: (method, cause) => unavailable(method, cause),
      stale: (request, answer) => this.behind(request, answer),
      answered: (request, answer) => this.noteAnswer(request, answer),
      rival: (request, act) => this.rival(request, act),
    }
  }

  feed(party: string): Wiring {
    return {
      ...feedWiring(party),
      answered: ({ process, method }, answer) => {
        if (method !== 'readNext') return
        for (const { pk, _lsn } of (answer as { changes: readonly Change[] }).changes) {
          this.note(process.id, String(pk), _lsn)
        }
      },
    }
  }

  private noteAnswer({ process, method, args }: Request, answer: unknown): void {
    if (method === 'read') {
      const address = args[0] as DocumentAddress
      const lsn = this.container().find([address.pk], address.id)?.lsn
      if (lsn !== undefined) this.note(process.id, address.pk, lsn)
    } else if (method === 'apply' && (answer as { kind: string }).kind === 'applied') {
      const [partition, [write]] = args as [string, readonly StateWrite[]]
      const lsn = write === undefined ? 0 : this.container().find([partition], write.document.id)?.lsn
      this.note(process.id, partition, lsn ?? 0)
    }
  }

  private note(processId: string, pk: string, lsn: number): void {
    const session = `${processId} ${pk}`
    this.seen.set(session, Math.max(lsn, this.seen.get(session) ?? 0))
  }

  private behind({ process, method, args }: Request, answer: unknown): unknown {
    if (hintMethods.has(method)) {
      const behind = this.earlierHints.get(method) ?? []
      this.earlierHints.set(method, answer)
      return behind
    }
    if (method === 'read') return this.older(process.id, args[0] as DocumentAddress, answer)
    if (method === 'findJob' && answer !== null)
      return this.older(process.id, answer as DocumentAddress, answer)
    if (!listMethods.has(method)) return answer
    return (answer as readonly DocumentAddress[]).map((found) => this.older(process.id, found, found))
  }

  /** Returns the oldest version of a document that this process may still read. */
  private older(processId: string, { pk, id }: DocumentAddress, answer: unknown): unknown {
    const newest = this.container().find([pk], id)?.fields
    if (newest === undefined) return answer
    const seen = this.seen.get(`${processId} ${pk}`) ?? 0
    const versions = [...(this.earlier.get(`${newest.keyText} ${id}`) ?? []), newest]
    // A read in a session is at least as new as the newest version that the process has seen there.
    const allowed = versions.find((_version, index) => (versions[index + 1]?.lsn ?? Infinity) > seen)
    return allowed === undefined ? answer : (JSON.parse(allowed.text) as Stored<DocumentAddress>)
  }

  /**
   * If the write is a submission, repeats it, like a second submitter. Otherwise edits a user's field in the
   * document.
   */
  private async rival({ args }: Request, act: () => Promise<unknown>): Promise<unknown> {
    const [partition, [first]] = args as [string, readonly StateWrite[]]
    if (first?.kind === 'create') return act()
    const document = first === undefined ? undefined : this.find({ pk: partition, id: first.document.id })
    if (document === undefined) return undefined
    const edits = Number(document['edits'] ?? 0) + 1
    return this.container().execute([partition], {
      kind: 'upsert',
      document: { ...document, edits },
    })
  }

  private find({ pk, id }: DocumentAddress): Readonly<Record<string, unknown>> | undefined {
    return this.container().find([pk], id)?.document
  }
}

function unavailable(method: string, cause: Error): Promise<never> {
  return Promise.reject(storeError(`state.${method}`, cause))
}
