import { listIn, type Fields, type Operation } from './history.js'
import type { Report, Rule } from './report.js'
import type { Document, Version } from './versions.js'
import { numberIn, transitionsOf, type World } from './world.js'

/** Rules about the owner of each range and its progress. */
export const leaseRules: readonly Rule<World>[] = [
  {
    id: 'taken-when-expired',
    says: 'no instance takes over a lease before it has expired, counted from its last write',
    check: ({ leases, history }, report) => {
      const expirationMs = numberIn(history.settings, 'leaseExpirationIntervalMs')
      for (const lease of leases) checkTakeovers(lease, expirationMs, report)
    },
  },
  {
    id: 'own-lease',
    says:
      'an instance writes no other instance as owner, frees a lease only of itself or of a process that has ' +
      'ended, and only the owner moves the position of a lease',
    check: ({ leases, history }, report) => {
      for (const lease of leases) checkOwnership(lease, history, report)
    },
  },
  {
    id: 'one-owner',
    says: 'an instance delivers no changes under a lease that another one has taken over',
    check: (world, report) => {
      for (const delivery of deliveriesOf(world)) checkOwner(delivery, world, report)
    },
  },
  {
    id: 'trusted',
    says: 'an instance delivers no changes under a lease that has expired since its last write',
    check: (world, report) => {
      for (const delivery of deliveriesOf(world)) checkTrust(delivery, world, report)
    },
  },
  {
    id: 'checkpoint',
    says: 'a checkpoint never passes a change that the delegate has not accepted',
    check: (world, report) => {
      for (const lease of world.leases.filter(isOfOrders)) checkCheckpoints(lease, world, report)
    },
  },
  {
    id: 'position-never-back',
    says: 'the position of a lease never goes back',
    check: ({ leases }, report) => {
      for (const lease of leases) {
        for (const [before, after] of transitionsOf(lease)) {
          const [earlier, later] = [lsnOf(before), lsnOf(after)]
          if (!after.isThere || earlier === null) continue
          report.check(
            later !== null && later >= earlier,
            () => `${lease.id}: the position went back from ${earlier}`,
            () => [before.write.operation, after.write.operation],
          )
        }
      }
    },
  },
  {
    id: 'delivered',
    says: 'every change is delivered to a delegate that returns',
    check: checkDelivered,
  },
  {
    id: 'in-order',
    says: 'while one instance holds the lease, changes of one key come oldest first',
    check: (world, report) => {
      checkOrder(world, report)
    },
  },
]

interface Delivery {
  readonly lease: string
  readonly documents: readonly {
    readonly id: string
    readonly pk: string
    readonly etag: string
    readonly lsn: number
  }[]
  readonly operation: Operation
}

function deliveriesOf({ history }: World): readonly Delivery[] {
  return history.operations
    .filter(({ what }) => what === 'deliver')
    .map((operation) => ({
      lease: String(operation.invoke['lease']),
      documents: listIn(operation.invoke, 'documents') as Delivery['documents'],
      operation,
    }))
}

/** Checks whether a document is a lease of the processor whose deliveries are in the history. */
function isOfOrders({ id }: Document): boolean {
  return id.startsWith('orders')
}

function ownerOf({ value, isThere }: Version): string | null {
  const { Owner: owner } = value
  return isThere && typeof owner === 'string' ? owner : null
}

/** Returns a position as a number, or null if there is none or it is not a number. */
function lsnOf({ value }: Version): number | null {
  const token = value['ContinuationToken']
  const found = typeof token === 'string' ? /^"?(\d+)"?$/.exec(token)?.[1] : undefined
  return found === undefined ? null : Number(found)
}

function checkTakeovers(lease: Document, expirationMs: number, report: Report): void {
  for (const [before, after] of transitionsOf(lease)) {
    const [was, is] = [ownerOf(before), ownerOf(after)]
    if (!after.isThere || was === null || is === null || was === is) continue
    const elapsedMs = (after.write.operation.until - before.write.operation.from) / 1_000
    report.check(
      elapsedMs >= expirationMs,
      () => `${is} took ${lease.id} from ${was} ${Math.round(elapsedMs)} ms after its last write`,
      () => [before.write.operation, after.write.operation],
    )
  }
}

function checkOwnership(lease: Document, { events }: World['history'], report: Report): void {
  for (const [before, after] of transitionsOf(lease)) {
    if (!after.isThere) continue
    const by = after.write.operation.process
    const [was, is] = [ownerOf(before), ownerOf(after)]
    // Another instance may ask a process that has ended for its lease, before it knows that.
    const own = lease.versions
      .slice(0, lease.versions.indexOf(before) + 1)
      .findLast(({ write }) => write.operation.process === was)
    const hasEnded = was !== null && isKnownToHaveEnded(was, { before: own ?? before, after }, events)
    const isHonest = was === is || is === by || (is === null && (was === by || hasEnded))
    const isMoved = lsnOf(before) !== lsnOf(after)
    report.check(
      isHonest && (!isMoved || was === by || is === by),
      () =>
        `${by} wrote ${lease.id}: owner ${String(was)} to ${String(is)}${isMoved ? ', and moved its position' : ''}`,
      () => [before.write.operation, after.write.operation],
    )
  }
}

/**
 * Checks whether a process had ended when another process of its machine freed its lease. A killed process wrote
 * its lease before it was killed. A process that was asked to leave may still write, until it is silent.
 */
function isKnownToHaveEnded(
  name: string,
  { before, after }: { readonly before: Version; readonly after: Version },
  events: World['history']['events'],
): boolean {
  const [written, freed] = [before.write.operation, after.write.operation]
  const isSilent = !events.some(
    ({ process, type, at }) => process === name && type === 'invoke' && at > freed.from,
  )
  return events.some(({ what, fault, target, at }) => {
    if (what !== 'fault' || target !== name || at > freed.until) return false
    return (fault === 'kill' && at >= written.from) || (fault === 'leave' && isSilent)
  })
}

function leaseNamed(token: string, { leases }: World): Document | undefined {
  return leases.filter(isOfOrders).find(({ versions }) => versions[0]?.value['LeaseToken'] === token)
}

function checkOwner({ lease: token, operation }: Delivery, world: World, report: Report): void {
  const lease = leaseNamed(token, world)
  if (lease === undefined) return
  const { process, from } = operation
  // Finds the newest version that was certainly written when the delegate was called.
  const known = lease.versions.filter(({ write }) => write.operation.until < from).at(-1)
  if (known === undefined) return
  // A later version may have taken effect as well, possibly one of this instance.
  const isOwn = lease.versions
    .slice(lease.versions.indexOf(known))
    .some((version) => ownerOf(version) === process && version.write.operation.from <= from)
  report.check(
    isOwn,
    () => `${process} was given changes of ${token}, which is ${String(ownerOf(known))}'s`,
    () => [known.write.operation, operation],
  )
}

function checkTrust({ lease: token, operation }: Delivery, world: World, report: Report): void {
  const lease = leaseNamed(token, world)
  const expirationMs = numberIn(world.history.settings, 'leaseExpirationIntervalMs')
  const { process, from } = operation
  const own = lease?.versions.filter(
    (version) => ownerOf(version) === process && version.write.operation.from <= from,
  )
  const newest = own?.at(-1)
  if (newest === undefined) return
  const ageMs = (from - newest.write.operation.from) / 1_000
  report.check(
    ageMs < expirationMs,
    () => `${process} was given changes of ${token} ${Math.round(ageMs)} ms after its last sign of life`,
    () => [newest.write.operation, operation],
  )
}

/**
 * Checks that the delegate had accepted every change of a range that its instance had read up to each
 * checkpoint.
 */
function checkCheckpoints(lease: Document, world: World, report: Report): void {
  const token = String(lease.versions[0]?.value['LeaseToken'])
  for (const [before, after] of transitionsOf(lease)) {
    const [earlier, later] = [lsnOf(before) ?? 0, lsnOf(after)]
    const { process, from } = after.write.operation
    if (!after.isThere || later === null || later <= earlier) continue
    const read = world.history.operations.filter(
      ({ what, invoke, process: by, status, until }) =>
        what === 'feed' &&
        status === 'ok' &&
        by === process &&
        until <= from &&
        invoke['container'] === 'orders' &&
        invoke['range'] === token,
    )
    const passed = read
      .flatMap((page) => unchangedIn(page, from, world))
      .filter((document) => numberIn(document, 'lsn') > earlier && numberIn(document, 'lsn') <= later)
    if (passed.length === 0) continue
    const accepted = new Set(
      deliveriesOf(world)
        .filter(
          ({ operation }) =>
            operation.process === process && operation.status === 'ok' && operation.until <= from,
        )
        .flatMap(({ documents }) => documents.map(({ etag }) => etag)),
    )
    const missing = passed.filter(({ etag }) => !accepted.has(String(etag)))
    report.check(
      missing.length === 0,
      () =>
        `the position of ${lease.id} passed ${missing.map(({ id }) => String(id)).join(', ')}, which was not accepted`,
      () => [after.write.operation],
    )
  }
}

/**
 * Returns the changes of a page, without documents written again before `until`, because the feed delivers
 * only the latest version.
 */
function unchangedIn(page: Operation, until: number, { documents }: World): readonly Fields[] {
  const shown = listIn(page.end, 'documents') as readonly Fields[]
  return shown.filter(({ id, etag }) => {
    const written = documents.find(
      (document) => document.container === 'orders' && document.id === id,
    )?.writes
    const isAgain = written?.some(
      ({ etag: own, operation }) => own !== etag && operation.until > page.from && operation.from < until,
    )
    return isAgain !== true
  })
}

/** Checks that the newest version of every document in the processor's container was delivered. */
function checkDelivered(world: World, report: Report): void {
  const accepted = new Set(
    deliveriesOf(world)
      .filter(({ operation }) => operation.status === 'ok')
      .flatMap(({ documents }) => documents.map(({ etag }) => etag)),
  )
  for (const { id, sights } of world.documents.filter(({ container }) => container === 'orders')) {
    const last = [...sights]
      .filter(({ etag }) => etag !== null)
      .sort((a, b) => a.operation.from - b.operation.from)
      .at(-1)
    if (last === undefined) continue
    report.check(
      accepted.has(last.etag ?? ''),
      () => `the newest version of ${id}, ${last.etag ?? ''}, was never delivered`,
      () => [last.operation],
    )
  }
}

/**
 * Checks the order of changes in each tenure. An instance that acquires a lease starts at the last
 * checkpoint.
 */
function checkOrder(world: World, report: Report): void {
  const newest = new Map<string, { lsn: number; operation: Operation; tenure: string }>()
  const acquired = world.history.events.filter(({ what }) => what === 'acquired')
  for (const { lease: token, documents, operation } of deliveriesOf(world)) {
    const { process, from } = operation
    const own = acquired.filter(
      (event) => event.process === process && event['lease'] === token && event.at <= from,
    )
    const tenure = `${process} ${own.length}`
    for (const { pk, lsn } of documents) {
      const before = newest.get(`${token} ${pk}`)
      if (before?.tenure === tenure) {
        report.check(
          lsn >= before.lsn,
          () => `a change of ${pk} at ${lsn} came after one at ${before.lsn}`,
          () => [before.operation, operation],
        )
      }
      newest.set(`${token} ${pk}`, { lsn, operation, tenure })
    }
  }
}
