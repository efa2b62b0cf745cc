import { jobDocumentId } from '../model/document-ids.js'
import type { StateDocument, Stored } from './state-store.js'
import type { PageEnd } from './filters/job-filter.js'

/** A position in the order of pages. */
export interface PagePosition {
  /** The time when the job at this position was submitted, in milliseconds since the epoch. */
  readonly ms: number
  readonly id: string
}

/** Queries for a store that can order by one field only. Ordering by two fields would need another index. */
export interface JobQuestions {
  /**
   * Returns the newest jobs (before `beforeMs`, if it is given). The order of jobs within one millisecond is
   * undefined.
   */
  newest(beforeMs: number | null, limit: number): Promise<readonly Stored<StateDocument>[]>
  /** Returns the jobs submitted in this millisecond (after `afterId`, if it is given), ordered by id. */
  within(ms: number, afterId: string | null, limit: number): Promise<readonly Stored<StateDocument>[]>
}

/**
 * Returns at most `limit` documents after `after`. The newest submission comes first, and documents of the
 * same millisecond are ordered by id. `newest` may omit some jobs of the last millisecond. If the document after the
 * page is of this millisecond, the jobs of the millisecond are queried again, by id. So no page omits or repeats a
 * job, even if many jobs share a millisecond.
 */
export async function jobPage(
  questions: JobQuestions,
  after: PagePosition | null,
  limit: number,
): Promise<readonly Stored<StateDocument>[]> {
  const left = after === null ? [] : await questions.within(after.ms, after.id, limit)
  const room = limit - left.length
  if (room <= 0) return left
  // The document after the page shows whether the page ends within a millisecond, which it rarely does.
  const older = await questions.newest(after?.ms ?? null, room + 1)
  const page = older.slice(0, room)
  const last = positionOf(page.at(-1))
  if (last === null || positionOf(older[room])?.ms !== last.ms) return [...left, ...page.toSorted(byPage)]
  const whole = page.filter((document) => positionOf(document)?.ms !== last.ms)
  const cut = await questions.within(last.ms, null, room - whole.length)
  return [...left, ...whole.toSorted(byPage), ...cut]
}

export function pagePositionOf({ submittedAt, jobId }: PageEnd): PagePosition {
  return { ms: Date.parse(submittedAt), id: jobDocumentId(jobId) }
}

/** Returns the position of a document. Null if the document has no time of submission. */
export function positionOf(document: StateDocument | undefined): PagePosition | null {
  const ms = document?.['submittedAtMs']
  return document === undefined || typeof ms !== 'number' ? null : { ms, id: document.id }
}

/** Returns a negative number if `one` comes before `other`. Ids are compared by bytes, as in the store. */
export function comparePositions(one: PagePosition, other: PagePosition): number {
  return other.ms - one.ms || Buffer.from(one.id).compare(Buffer.from(other.id))
}

function byPage(one: StateDocument, other: StateDocument): number {
  const [before, after] = [positionOf(one), positionOf(other)]
  return before === null || after === null ? 0 : comparePositions(before, after)
}
