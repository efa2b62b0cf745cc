import { schemaVersion } from '../model/documents.js'
import { wholeMoments } from './cosmos-state-answers.js'
import type { DueBetween, OverdueBetween, OverdueDocument } from './state-store.js'

/** A query with its parameters; those that are undefined are left out. */
export interface Question {
  readonly text: string
  readonly parameters: Readonly<Record<string, string | number | undefined>>
  /** Asks only this partition. */
  readonly partition?: string
}

type Ask = (question: Question) => Promise<readonly OverdueDocument[]>

/** Returns a page of jobs and steps that are due, earliest first; see `StateStore.listOverdue`. */
export async function overdueDocuments(
  ask: Ask,
  due: OverdueBetween,
  limit: number,
): Promise<readonly OverdueDocument[]> {
  // Two queries, because one would have to order by a value that is not stored.
  const pages = await Promise.all([
    overduePage(
      ask,
      { due, limit },
      {
        which: "c.type IN ('sas.step', 'sas.job') AND c.schema <= @schema",
        field: 'c.completeByMs',
        laterMs: 0,
      },
    ),
    overduePage(
      ask,
      { due, limit },
      {
        which:
          "c.type = 'sas.job' AND c.processState = 'Pending' AND IS_NULL(c.completeByMs) AND c.schema <= @schema",
        field: 'c.submittedAtMs',
        laterMs: due.pickUpWithinMs,
      },
    ),
  ])
  // A page at its limit may leave out documents due after its last one, so the other page must end there too.
  const untilMs = Math.min(
    ...pages.map((page) => (page.length < limit ? Infinity : (page.at(-1)?.dueMs ?? 0))),
  )
  return pages
    .flat()
    .filter(({ dueMs }) => dueMs <= untilMs)
    .sort((a, b) => a.dueMs - b.dueMs)
}

/** Reads a page of documents that are due `laterMs` after the time in a field. */
async function overduePage(
  ask: Ask,
  { due: { afterMs, beforeMs }, limit }: { readonly due: DueBetween; readonly limit: number },
  { which, field, laterMs }: { readonly which: string; readonly field: string; readonly laterMs: number },
): Promise<readonly OverdueDocument[]> {
  const select = `c.id, c.pk, ${field} + @later AS dueMs FROM c WHERE ${which}`
  const common = { schema: schemaVersion, later: laterMs }
  const first = await ask({
    text: `SELECT TOP @limit ${select} AND ${field} > @after AND ${field} < @before ORDER BY ${field}`,
    parameters: { ...common, limit, after: afterMs - laterMs, before: beforeMs - laterMs },
  })
  return wholeMoments(first, {
    limit,
    momentOf: ({ dueMs }) => dueMs,
    all: (moment) =>
      ask({
        text: `SELECT ${select} AND ${field} = @moment`,
        parameters: { ...common, moment: moment - laterMs },
      }),
  })
}
