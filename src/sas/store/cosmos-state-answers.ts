import type { JobFilter } from './job-filter.js'

/** What a filter asks for, as conditions of a query whose parameters it fills. */
export function conditionsOf(filter: JobFilter): readonly string[] {
  const { state, workflow, since, before, isFlagged, attention, step } = filter
  const conditions = ["c.type = 'sas.job'"]
  if (state !== undefined) conditions.push('c.processState = @state')
  if (workflow !== undefined) conditions.push('c.workflow = @workflow')
  if (since !== undefined) conditions.push('c.submittedAtMs >= @since')
  if (before !== undefined) conditions.push('c.submittedAtMs < @before')
  if (isFlagged !== undefined) conditions.push('IS_DEFINED(c.attention.kind)')
  if (attention !== undefined) conditions.push('c.attention.kind = @attention')
  if (step !== undefined) conditions.push('c.attention.stepId = @step')
  return conditions
}

/** The page that begins like this, not cut within its last moment. */
export async function wholeMoments<T, M extends string | number>(
  first: readonly T[],
  {
    limit,
    momentOf,
    all,
  }: {
    readonly limit: number
    readonly momentOf: (found: T) => M
    readonly all: (moment: M) => Promise<readonly T[]>
  },
): Promise<readonly T[]> {
  const last = first.at(-1)
  if (last === undefined || first.length < limit) return first
  const moment = momentOf(last)
  return [...first.filter((found) => momentOf(found) !== moment), ...(await all(moment))]
}
