import { z } from 'zod'
import type { JobQueries } from '../sas/internal.js'

/** A decision of an operator. */
export interface AuditRow {
  /** ISO-8601 UTC. */
  readonly at: string
  readonly by: string
  readonly command: string
  readonly why: string
  /** What the decision is about. A decision about notices names their job. */
  readonly about: 'job' | 'schedule'
  readonly id: string
  readonly partitionKey: string
  readonly workflow: string
  /** The step, if the decision is about one step. */
  readonly stepId: string | null
}

/** A page of decisions. */
export interface AuditPage {
  /**
   * Every decision about the jobs and schedules of this page, the newest first. The newest decision about a
   * job decides on which page its decisions are.
   */
  readonly rows: readonly AuditRow[]
  /**
   * The `before` of the next page, or null after the last. Only decisions at this time or later are certainly
   * all known.
   */
  readonly next: string | null
}

const decision = z.object({
  at: z.string(),
  by: z.string(),
  why: z.string(),
  command: z.string().default('resend'),
  stepId: z.string().nullable().default(null),
})

const operated = z.object({
  type: z.string(),
  pk: z.string(),
  jobId: z.string().optional(),
  scheduleId: z.string().optional(),
  workflow: z.string().default(''),
  operatedAtMs: z.number(),
  audit: z.array(decision).default([]),
  /** The changes of the definition of a schedule. */
  changes: z.array(decision.extend({ command: z.string().default('set') })).default([]),
  resends: z.array(decision).default([]),
})

/** Reads a page of the decisions of operators about all jobs and schedules. */
export async function readAudit(
  queries: Pick<JobQueries, 'listOperated'>,
  { beforeMs, limit }: { readonly beforeMs: number | null; readonly limit: number },
): Promise<AuditPage> {
  const found = await queries.listOperated(beforeMs, limit)
  const rows = new Map<string, AuditRow>()
  for (const row of found.flatMap(rowsOf)) {
    // The notices of a job are documents of their own, but one decision sends all of them again.
    rows.set(JSON.stringify([row.about, row.partitionKey, row.id, row.command, row.at]), row)
  }
  const last = found.length < limit ? undefined : found.at(-1)?.['operatedAtMs']
  return {
    rows: [...rows.values()].sort((one, other) => Date.parse(other.at) - Date.parse(one.at)),
    next: typeof last === 'number' ? new Date(last).toISOString() : null,
  }
}

/** Returns the decisions in a document. The document of another version or program may have none. */
function rowsOf(document: unknown): AuditRow[] {
  const read = operated.safeParse(document)
  if (!read.success) return []
  const { pk: partitionKey, jobId, scheduleId, workflow, audit, changes, resends } = read.data
  const id = jobId ?? scheduleId
  if (id === undefined) return []
  const about = jobId === undefined ? ('schedule' as const) : ('job' as const)
  return [...audit, ...changes, ...resends].map((made) => ({ ...made, about, id, partitionKey, workflow }))
}
