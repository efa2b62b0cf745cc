import { jobDocumentId } from '../model/document-ids.js'
import type { StateDocument, Stored } from './state-store.js'
import type { PageEnd } from './job-filter.js'

/** A place in the order of pages. */
export interface PagePosition {
  /** When the job there was submitted. */
  readonly ms: number
  /** Its document's id. */
  readonly id: string
}

/** What is asked of a store that orders by one field only: an order by two would need an index of its own. */
export interface JobQuestions {
  /** The newest submitted before this millisecond, or of all; in no order within a millisecond. */
  newest(beforeMs: number | null, limit: number): Promise<readonly Stored<StateDocument>[]>
  /** Those submitted in this millisecond whose ids follow this one, or all of it, by id. */
  within(ms: number, afterId: string | null, limit: number): Promise<readonly Stored<StateDocument>[]>
}

/**
 * At most `limit` documents in the order of pages, those after `after` only: the newest submission first, by id within a
 * millisecond. The millisecond at which the newest are cut off is asked for again, by id, so that no page leaves one out
 * or repeats one, however many share it.
 */
export async function jobPage(
  questions: JobQuestions,
  after: PagePosition | null,
  limit: number,
): Promise<readonly Stored<StateDocument>[]> {
  const left = after === null ? [] : await questions.within(after.ms, after.id, limit)
  const room = limit - left.length
  if (room <= 0) return left
  const older = await questions.newest(after?.ms ?? null, room)
  const last = positionOf(older.at(-1))
  if (older.length < room || last === null) return [...left, ...older.toSorted(byPage)]
  const whole = older.filter((document) => positionOf(document)?.ms !== last.ms)
  const cut = await questions.within(last.ms, null, room - whole.length)
  return [...left, ...whole.toSorted(byPage), ...cut]
}

/** Where a page that ended with this job ended. */
export function pagePositionOf({ submittedAt, jobId }: PageEnd): PagePosition {
  return { ms: Date.parse(submittedAt), id: jobDocumentId(jobId) }
}

/** Where a document stands; null for one that has no place. */
export function positionOf(document: StateDocument | undefined): PagePosition | null {
  const ms = document?.['submittedAtMs']
  return document === undefined || typeof ms !== 'number' ? null : { ms, id: document.id }
}

/** Negative when one comes before the other. Ids are compared as stores do, by their UTF-8 bytes. */
export function comparePositions(one: PagePosition, other: PagePosition): number {
  return other.ms - one.ms || Buffer.from(one.id).compare(Buffer.from(other.id))
}

function byPage(one: StateDocument, other: StateDocument): number {
  const [before, after] = [positionOf(one), positionOf(other)]
  return before === null || after === null ? 0 : comparePositions(before, after)
}
