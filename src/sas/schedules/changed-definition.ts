import type { ScheduleDocument, ScheduledJobDocument } from '../model/schedule-documents.js'
import { tagsByName } from '../model/tags.js'
import type { Plan } from '../plan/plan.js'
import type { Workflow } from '../workflow/workflow.js'
import { withoutUndefined } from '../../platform/internal.js'
import { defineOver, ScheduleInvalid, type Schedule, type ScheduleOptions } from './define-schedule.js'

/** What is stored of a schedule. `job` is null if its document is missing or cannot be read. */
export interface StoredDefinition {
  readonly schedule: ScheduleDocument
  readonly job: ScheduledJobDocument | null
}

/**
 * Returns the definition of a schedule with other parts. Parts that are not named stay as they are stored.
 *
 * @throws ScheduleInvalid that lists all problems
 */
export function changedDefinition<I>(
  id: string,
  parts: Partial<ScheduleOptions<I>>,
  stored: StoredDefinition | null,
): Schedule {
  const job = stored?.job ?? null
  const { workflow = job === null ? undefined : workflowOf<I>(job) } = parts
  if (workflow === undefined) {
    const why = stored === null ? 'it is not stored yet' : 'its stored job cannot be read'
    throw new ScheduleInvalid(id, [`${why}, so name its workflow`])
  }
  const kept = stored === null ? {} : timingOf(stored.schedule, parts)
  const options = { ...kept, ...(job === null ? {} : termsOf(job)), ...withoutUndefined(parts), workflow }
  return defineOver(id, options, job?.inputTemplate ?? null)
}

/** Returns the workflow of the stored plan. The code of the workflow is not needed. */
function workflowOf<I>({ plan }: ScheduledJobDocument): Workflow<I> {
  const { workflow: name } = plan as unknown as Plan
  return { name, plan: plan as unknown as Plan, submission: {} } as unknown as Workflow<I>
}

/** Returns the stored times. A cron pattern replaces an interval, and an interval replaces a cron pattern. */
function timingOf(
  { calendar, overlap, catchUpMs: catchUp, jitterMs: jitter }: ScheduleDocument,
  { cron, every }: { readonly cron?: unknown; readonly every?: unknown },
) {
  const policy = { overlap, catchUp, jitter }
  if (cron === undefined && every === undefined) {
    return { ...policy, ...('everyMs' in calendar ? { every: calendar.everyMs } : calendar) }
  }
  const isStillCron = every === undefined && 'timeZone' in calendar
  return { ...policy, ...(isStillCron ? { timeZone: calendar.timeZone } : {}) }
}

function termsOf({ priority, replyTo, notify, completeWithinMs, retainForMs, tags }: ScheduledJobDocument) {
  return withoutUndefined({
    priority,
    replyTo: replyTo ?? undefined,
    notify,
    completeWithin: completeWithinMs ?? undefined,
    retainFor: retainForMs ?? undefined,
    tags: tags === undefined ? undefined : tagsByName(tags),
  })
}
