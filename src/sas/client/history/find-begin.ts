import type { JobDocument } from '../../model/documents.js'
import type { DocumentVersionChange, JobQueries } from '../../store/job-queries.js'

/** The port that this folder needs. */
export type VersionQueries = Pick<JobQueries, 'listVersions' | 'firstLsn'>

/** Where the history of a job begins. */
export type Begin =
  | {
      readonly kind: 'found'
      readonly position: string
      /** Whether this is the oldest position that the store serves, so that the first versions may be missing. */
      readonly isOldest: boolean
      readonly charge: number
    }
  | { readonly kind: 'notKept'; readonly reason: string; readonly charge: number }

/** The largest difference between the clock of the submitter and that of the store. */
const clockMarginMs = 60_000

/**
 * Finds the position before the first version of a job. The feed of all versions cannot begin at a time, so this
 * takes the LSN of a later version, and looks back with growing steps until it sees the job being created.
 */
export async function findBegin(queries: VersionQueries, job: JobDocument): Promise<Begin> {
  const now = await queries.listVersions(job.pk, 'now', 1)
  if (now.kind !== 'page') return { kind: 'notKept', reason: reasonOf(now), charge: 0 }
  const first = await queries.firstLsn(job.pk, job.submittedAtMs - clockMarginMs)
  let charge = now.charge + first.charge
  const newest = Number(now.position)
  let at = Math.min((first.lsn ?? newest) - 1, newest)
  let served = newest
  for (let step = 1; ; step *= 2) {
    const read = await queries.listVersions(job.pk, String(at), 1)
    if (read.kind === 'notKept') return { kind: 'notKept', reason: read.reason, charge }
    if (read.kind === 'forgotten') {
      const kept = await oldestKept(queries, job.pk, { forgotten: at, served })
      return { kind: 'found', ...kept, isOldest: true, charge: charge + kept.charge }
    }
    charge += read.charge
    const created = read.changes.find((change) => isCreation(change, job))
    if (created !== undefined) {
      return { kind: 'found', position: String(created.lsn - 1), isOldest: false, charge }
    }
    if (at === 0 || isBefore(read.changes, job)) {
      return { kind: 'found', position: String(at), isOldest: false, charge }
    }
    served = at
    at = Math.max(0, Math.min(at - step, previousOf(read.changes, job) - 1))
  }
}

/** Returns the oldest position that the store still serves, by halving the distance. */
async function oldestKept(
  queries: VersionQueries,
  partition: string,
  { forgotten, served }: { readonly forgotten: number; readonly served: number },
): Promise<{ readonly position: string; readonly charge: number }> {
  let [low, high, charge] = [forgotten, served, 0]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const read = await queries.listVersions(partition, String(middle), 1)
    if (read.kind === 'page') {
      high = middle
      charge += read.charge
    } else low = middle
  }
  return { position: String(high), charge }
}

function isCreation({ operation, current }: DocumentVersionChange, job: JobDocument): boolean {
  return operation === 'create' && current?.id === job.id && current['submittedAtMs'] === job.submittedAtMs
}

/** Checks whether the first of these changes was certainly made before the job was submitted. */
function isBefore([first]: readonly DocumentVersionChange[], { submittedAtMs }: JobDocument): boolean {
  return first !== undefined && first.at * 1_000 < submittedAtMs - clockMarginMs
}

/** Returns the transaction of the version before the first of these versions of the job, if there is one. */
function previousOf(changes: readonly DocumentVersionChange[], job: JobDocument): number {
  const own = changes.find(({ current, previousLsn }) => current?.id === job.id && previousLsn !== null)
  return own?.previousLsn ?? Infinity
}

function reasonOf(
  read: { readonly kind: 'notKept'; readonly reason: string } | { readonly kind: 'forgotten' },
) {
  return read.kind === 'notKept' ? read.reason : 'the store keeps no version of this time'
}
