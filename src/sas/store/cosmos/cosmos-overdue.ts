import { schemaVersion } from '../../model/documents.js'
import { orderedPage, type Ask } from './cosmos-ordered-page.js'
import type { OverdueBetween, OverdueDocument } from '../state-store.js'

/** Returns a page of documents that are due, such as jobs and steps, earliest first. See `StateStore.listOverdue`. */
export async function overdueDocuments(
  ask: Ask,
  { afterMs, beforeMs, pickUpWithinMs }: OverdueBetween,
  limit: number,
): Promise<readonly OverdueDocument[]> {
  /** Reads a page of documents that are due `laterMs` after the time in a field. */
  const dueAfter = (laterMs: number, field: string, which: string) =>
    orderedPage<OverdueDocument>(ask, {
      select: `c.id, c.pk, ${field} + @later AS dueMs`,
      where: `${which} AND c.schema <= @schema`,
      field,
      valueOf: ({ dueMs }) => dueMs - laterMs,
      after: afterMs - laterMs,
      before: beforeMs - laterMs,
      limit,
      parameters: { schema: schemaVersion, later: laterMs },
    })
  const untaken = "c.type = 'sas.job' AND c.processState = 'Pending' AND IS_NULL(c.completeByMs)"
  // A single query would have to order by a value that is not stored.
  const pages = await Promise.all([
    dueAfter(
      0,
      'c.completeByMs',
      "c.type IN ('sas.step', 'sas.job', 'sas.schedule', 'sas.gate', 'sas.pauses')",
    ),
    dueAfter(pickUpWithinMs, 'c.submittedAtMs', untaken),
  ])
  // A full page may lack documents that are due after its last document. So documents of the other page that are
  // due after that time wait for the next page.
  const untilMs = Math.min(
    ...pages.map((page) => (page.length < limit ? Infinity : (page.at(-1)?.dueMs ?? 0))),
  )
  return pages
    .flat()
    .filter(({ dueMs }) => dueMs <= untilMs)
    .sort((a, b) => a.dueMs - b.dueMs)
}
