import {
  expiresAt,
  scan,
  type Container,
  type DocumentFollower,
  type DocumentVersion,
  type JsonObject,
} from '../emulator/engine/index.js'
import { suspects, type Sign } from '../emulator/indexes/suspects.js'
import { systemClock } from '../platform/index.js'

/**
 * What the text of a document contains if a sweep may have to find the document. A match may be wrong, for
 * example because the user's data contains the same text.
 */
const signs = /"completeByMs":\d|"processState":"Pending"|"attention":\{|"asked":\{|"type":"sas\.unreadable"/u

/** The same, by the properties that the indexing policy names. */
const indexedSigns: readonly Sign[] = [
  { path: ['completeByMs'], has: 'a number' },
  { path: ['processState'], has: { text: 'Pending' } },
  { path: ['attention', 'kind'], has: 'a value' },
  { path: ['asked', 'since'], has: 'a value' },
  { path: ['type'], has: { text: 'sas.unreadable' } },
]

/** The properties by which sweeps find documents. */
const sweptBy = [
  'id',
  'pk',
  'jobId',
  'type',
  'schema',
  'completeByMs',
  'processState',
  'submittedAtMs',
  'attention',
  'asked',
] as const

/** The number of documents that are read in one turn of the event loop. */
const sliceSize = 5_000

/** What sweeps know of a standing document. Because of this, they need not read the document again. */
export interface Standing {
  readonly number: number
  /** The properties of {@link sweptBy}. */
  readonly facts: Readonly<JsonObject>
  readonly bytes: number
  /** The second since the epoch in which the document expires, or null. */
  readonly expiresAt: number | null
}

/**
 * The documents of a state container that a sweep may have to find: open steps and questions, jobs that no
 * scheduler has taken, unsent notices, flagged jobs and unreadable documents. All other documents, such as those of ended
 * jobs, are left out. So a sweep costs nothing for them, however many there are.
 *
 * The first sweep reads the documents that may stand, in slices: on disk, the summaries of blocks say which, and in memory,
 * it reads every document. Each later write updates the list. A split, a merge and new settings drop it.
 */
export class StandingDocuments implements DocumentFollower {
  /** The documents by number. After a sweep has read a document, only what it knows of the document is kept. */
  private readonly standing = new Map<number, DocumentVersion | Standing>()
  private filling: Promise<void> | null = null

  private constructor(private readonly container: Container) {}

  /** Returns the standing documents of a container that `isWanted` accepts, in the order of creation. */
  static async find(
    container: Container,
    isWanted: (facts: Readonly<JsonObject>) => boolean,
  ): Promise<readonly Standing[]> {
    for (;;) {
      const documents = StandingDocuments.of(container)
      await (documents.filling ??= documents.fill())
      if (StandingDocuments.of(container) === documents) return documents.matching(isWanted)
    }
  }

  private static of(container: Container): StandingDocuments {
    const { followers } = container.indexes
    const known = followers.find((follower) => follower instanceof StandingDocuments)
    if (known !== undefined) return known
    const created = new StandingDocuments(container)
    followers.push(created)
    return created
  }

  added(version: DocumentVersion): void {
    const { given, ownText, number } = version
    if (given === null ? signs.test(ownText) : mayStand(given)) this.standing.set(number, version)
  }

  removed({ number }: DocumentVersion): void {
    this.standing.delete(number)
  }

  private matching(isWanted: (facts: Readonly<JsonObject>) => boolean): readonly Standing[] {
    const { seconds, definition } = this.container
    const found: Standing[] = []
    for (const [number, known] of this.standing) {
      const standing = 'facts' in known ? known : standingOf(known, definition.defaultTtl)
      // The text of a document that stands for long need not stay in memory.
      if (standing !== known) this.standing.set(number, standing)
      const isExpired = standing.expiresAt !== null && standing.expiresAt <= seconds
      if (!isExpired && isWanted(standing.facts)) found.push(standing)
    }
    return found.sort((one, other) => one.number - other.number)
  }

  /** Adds the documents that existed before. Changes between two slices are reported like all changes. */
  private async fill(): Promise<void> {
    const { indexes } = this.container
    const found = await suspects(this.container, indexedSigns)
    if (found === null) return this.fillFromAll()
    let count = 0
    for (const part of found) {
      for (const version of part) this.added(version)
      count += part.length
      if (count < sliceSize) continue
      count = 0
      await systemClock.sleep(0)
      // After a split, the list of another object counts.
      if (this.container.indexes !== indexes) return
    }
  }

  private async fillFromAll(): Promise<void> {
    const { indexes } = this.container
    for (let after = 0; ;) {
      // After a split, the scan would repeat documents of another list.
      if (this.container.indexes !== indexes) return
      let count = 0
      for (const version of scan(this.container, { kind: 'range' }, after)) {
        if (count === sliceSize) break
        this.added(version)
        after = version.number
        count += 1
      }
      if (count < sliceSize) return
      await systemClock.sleep(0)
    }
  }
}

/** Does the same as {@link signs} for a document that need not be parsed. */
function mayStand({ completeByMs, processState, attention, asked, type }: Readonly<JsonObject>): boolean {
  const isOpen = typeof completeByMs === 'number' || processState === 'Pending'
  return isOpen || isObject(attention) || isObject(asked) || type === 'sas.unreadable'
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function standingOf(version: DocumentVersion, defaultTtl: number | null): Standing {
  const { number, bytes, seen } = version
  const facts = Object.fromEntries(sweptBy.map((name) => [name, seen[name]]))
  return { number, facts, bytes, expiresAt: expiresAt(version, defaultTtl) }
}
