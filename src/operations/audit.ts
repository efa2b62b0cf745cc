import { z } from 'zod'
import type { JobQueries } from '../sas/internal.js'

/** A decision of an operator. */
export interface AuditRow {
  /** ISO-8601 UTC. */
  readonly at: string
  readonly by: string
  readonly command: string
  readonly why: string
  /**
   * What the decision is about. A decision about notices names their job. The id of a limit is its key, and that of a
   * fleet is a role or `all`.
   */
  readonly about: 'job' | 'schedule' | 'limit' | 'workflow' | 'agent' | 'fleet'
  readonly id: string
  readonly partitionKey: string
  readonly workflow: string
  /** The step, if the decision is about one step. */
  readonly stepId: string | null
  /** Where the instances run, such as `app shop-agents`. Null if the decision is about something else. */
  readonly target: string | null
}

/** A page of decisions. */
export interface AuditPage {
  /**
   * Every decision about the jobs, schedules and limits of this page, about pauses of workflows and agents, and about
   * instances, the newest first. The newest decision about a job decides on which page its decisions are.
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
  /** The numbers of a limit that an operator has set. */
  atOnce: z.number().optional(),
  perSecond: z.number().optional(),
  burst: z.number().optional(),
  /** The workflow or agent that an operator has paused or resumed. */
  kind: z.enum(['workflow', 'agent']).optional(),
  name: z.string().optional(),
  /** The role that an operator has scaled or rebalanced, and where its instances run. */
  role: z.string().optional(),
  target: z.string().nullable().default(null),
  from: z.number().nullable().default(null),
  to: z.number().nullable().default(null),
})

const operated = z.object({
  type: z.string(),
  pk: z.string(),
  jobId: z.string().optional(),
  scheduleId: z.string().optional(),
  /** The key of a limit. */
  key: z.string().optional(),
  workflow: z.string().default(''),
  operatedAtMs: z.number(),
  audit: z.array(decision).default([]),
  /** The changes of the definition of a schedule. */
  changes: z.array(decision.extend({ command: z.string().default('set') })).default([]),
  resends: z.array(decision).default([]),
  /** What operators have said about the problems of a job. */
  triageAudit: z.array(decision.extend({ command: z.string().default('triage') })).default([]),
})

/** Reads a page of the decisions of operators about all jobs, schedules and limits, about pauses, and about instances. */
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
  const { pk: partitionKey, jobId, scheduleId, key, workflow, ...made } = read.data
  const named = ((): Named | null => {
    if (jobId !== undefined) return { about: 'job', id: jobId }
    if (scheduleId !== undefined) return { about: 'schedule', id: scheduleId }
    return key === undefined ? null : { about: 'limit', id: key }
  })()
  const entries = [...made.audit, ...made.changes, ...made.resends, ...made.triageAudit]
  return entries.flatMap((entry) => {
    const { at, by, why, command, stepId, target } = entry
    const about = named ?? aboutOf(entry)
    if (about === null) return []
    const said = { at, by, why, command: withNumbers(command, entry), stepId, target }
    return [{ ...said, ...about, partitionKey, workflow }]
  })
}

/** Returns what a decision is about, if its document has decisions about several things. */
function aboutOf({ kind, name = '', role }: z.infer<typeof decision>): Named | null {
  if (kind !== undefined) return { about: kind, id: name }
  return role === undefined ? null : { about: 'fleet', id: role }
}

type Named = Pick<AuditRow, 'about' | 'id'>

/** Returns a command with the numbers that it set, such as `set atOnce 5, perSecond 2` or `scale 2 → 5`. */
function withNumbers(command: string, made: z.infer<typeof decision>): string {
  if (made.from !== null && made.to !== null) return `${command} ${made.from} → ${made.to}`
  const names = ['atOnce', 'perSecond', 'burst'] as const
  const numbers = names.flatMap((name) => (made[name] === undefined ? [] : [`${name} ${made[name]}`]))
  return numbers.length === 0 ? command : `${command} ${numbers.join(', ')}`
}
