import type { HistoryEvent, Operation } from './history.js'
import type { Report, Rule } from './report.js'
import type { Document, Sight, Version, Write } from './versions.js'
import type { World } from './world.js'

/** Rules about every document as a register, whose versions are read in the order of their writes. */
export const registerRules: readonly Rule<World>[] = [
  {
    id: 'conditional',
    says: 'every write of a job, step, notice or lease is conditional on the etag that the decision read',
    check: ({ guarded }, report) => {
      for (const document of guarded) {
        for (const write of [...document.writes, ...document.refused]) {
          const isConditional = write.kind === 'create' || write.ifMatch !== null
          report.check(
            isConditional,
            () => `${write.operation.process} wrote ${document.id} without a condition`,
            () => [write.operation],
          )
        }
      }
    },
  },
  {
    id: 'one-writer',
    says: 'of all instances that decide about a version, one writes',
    check: ({ guarded }, report) => {
      for (const document of guarded) checkOneWriter(document, report)
    },
  },
  {
    id: 'register',
    says: 'documents are linearizable registers: a read returns a version that was current between its call and its answer',
    check: ({ guarded }, report) => {
      for (const document of guarded) checkRegister(document, report)
    },
  },
  {
    id: 'refused-for-a-reason',
    says: 'a write is refused as changed only where its version is not the newest',
    check: ({ guarded }, report) => {
      for (const document of guarded)
        for (const write of document.refused) checkRefusal(document, write, report)
    },
  },
  {
    id: 'all-or-nothing',
    says: 'a transaction is written as a whole or not at all',
    check: checkTransactions,
  },
]

function checkOneWriter(document: Document, report: Report): void {
  const rivals = new Map(document.versions.map((version) => [version.write.ifMatch, version.write]))
  for (const write of document.writes.filter(({ operation }) => operation.status === 'ok')) {
    if (write.ifMatch === null && write.kind !== 'create') continue
    const isLoose = document.loose.includes(write)
    report.check(
      !isLoose,
      () => `two writes of ${document.container}/${document.id} stand on ${write.ifMatch ?? 'nothing'}`,
      () => [rivals.get(write.ifMatch)?.operation ?? null, write.operation],
    )
  }
}

/** The earliest and latest moment at which a version may have begun, and the operations that show it. */
interface Bounds {
  from: number
  until: number
  earliest: Operation
  latest: Operation
}

/**
 * Checks whether a linearization exists. Versions have an order, because each names the one before. So a
 * linearization exists if and only if each version can have a moment that is
 *
 * - within its write,
 * - after the moment of the version before,
 * - after every read of the version before began,
 * - before the end of every read of its own.
 *
 * It is enough to try the earliest such moments.
 */
function checkRegister(document: Document, report: Report): void {
  const { versions, sights, unexplained } = document
  for (const sight of unexplained) {
    report.check(
      false,
      () =>
        `${document.container}/${document.id} was seen in a version that no process wrote: ${sight.etag ?? ''}`,
      () => [sight.operation],
    )
  }
  if (versions.length === 0 || document.loose.length > 0) return
  const bounds = boundsOf(versions, sights)
  checkContents(document, report)
  let moment = 0
  for (const [index, { from, until, earliest, latest }] of bounds.entries()) {
    moment = Math.max(moment, from)
    report.check(
      moment <= until,
      () =>
        `${document.container}/${document.id}: version ${index} of ${versions.length} was read at an impossible time`,
      () => [versions[index]?.write.operation ?? null, earliest, latest],
    )
  }
}

function boundsOf(versions: readonly Version[], sights: readonly Sight[]): readonly Bounds[] {
  const bounds = versions.map(({ write: { operation } }): Bounds => {
    const { from, until } = operation
    return { from, until, earliest: operation, latest: operation }
  })
  const places = new Map(versions.map(({ etag }, index) => [etag, index]))
  const isDeleted = versions.some(({ isThere }) => !isThere)
  for (const { etag, operation } of sights) {
    // The document is absent before its creation, unless it was deleted later.
    const place = etag === null ? (isDeleted ? undefined : -1) : places.get(etag)
    if (place === undefined) continue
    const own = bounds[place]
    if (own !== undefined && operation.until < own.until) {
      own.until = operation.until
      own.latest = operation
    }
    const next = bounds[place + 1]
    if (next !== undefined && operation.from > next.from) {
      next.from = operation.from
      next.earliest = operation
    }
  }
  return bounds
}

function checkContents({ container, id, versions, sights }: Document, report: Report): void {
  const written = new Map(versions.map((version) => [version.etag, version]))
  for (const { etag, digest, operation } of sights) {
    const version = etag === null ? undefined : written.get(etag)
    if (!version?.isThere) continue
    report.check(
      version.write.digest === digest,
      () => `${container}/${id} was read with other contents than were written`,
      () => [version.write.operation, operation],
    )
  }
}

/**
 * Checks a refusal only if the writer had certainly seen the version, and if no write without an answer may
 * explain it.
 */
function checkRefusal(document: Document, write: Write, report: Report): void {
  if (write.ifMatch === null || write.status !== 412) return
  const place = document.versions.findIndex(({ etag }) => etag === write.ifMatch)
  const next = document.versions[place + 1]
  if (place < 0 || document.loose.length > 0) return
  const isLost = document.writes.some(
    ({ operation, ifMatch }) => operation.status === 'info' && ifMatch === write.ifMatch,
  )
  if (isLost) return
  report.check(
    next !== undefined && next.write.operation.from <= write.operation.until,
    () => `${document.id} was refused as changed, but no write had changed it`,
    () => [write.operation, next?.write.operation ?? null],
  )
}

function checkTransactions({ documents }: World, report: Report): void {
  const placed = new Map<Operation, { id: string; state: 'written' | 'not' | 'unknown' }[]>()
  for (const document of documents) {
    for (const write of document.writes) {
      const all = placed.get(write.operation) ?? []
      all.push({ id: document.id, state: stateOf(document, write) })
      placed.set(write.operation, all)
    }
  }
  for (const [operation, writes] of placed) {
    if (writes.length < 2) continue
    const isTorn =
      writes.some(({ state }) => state === 'written') && writes.some(({ state }) => state === 'not')
    report.check(
      !isTorn,
      () => `torn: ${writes.map(({ id, state }) => `${id} ${state}`).join(', ')}`,
      (): readonly (HistoryEvent | Operation)[] => [operation],
    )
  }
}

/**
 * Returns what became of a write. If two writes have the same content and no answer says which one took
 * effect, it is unknown for both.
 */
function stateOf({ versions, writes }: Document, write: Write): 'written' | 'not' | 'unknown' {
  const isAlike = ({ ifMatch, kind }: Write): boolean => ifMatch === write.ifMatch && kind === write.kind
  const own = versions.find((version) => version.write === write)
  const taken = own ?? versions.find((version) => isAlike(version.write))
  if (taken === undefined) return 'unknown'
  const twins = writes.filter((other) => isAlike(other) && other.digest === write.digest)
  const isGuessed = twins.includes(taken.write) && twins.length > 1 && taken.write.operation.status !== 'ok'
  if (isGuessed) return 'unknown'
  return own === undefined ? 'not' : 'written'
}
