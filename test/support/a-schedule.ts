import { schemaVersion } from '../../src/sas/model/documents.js'
import { scheduleDocumentId } from '../../src/sas/model/document-ids.js'
import type { ScheduleDocument } from '../../src/sas/model/schedule-documents.js'
import type { Plan } from '../../src/sas/plan/plan.js'
import type { Schedule } from '../../src/sas/schedules/define-schedule.js'
import { withNextAfter } from '../../src/sas/schedules/tick-time.js'

/** Returns the document of a schedule whose first tick comes after `createdMs`. */
export function aSchedule(createdMs: number, overrides: Partial<ScheduleDocument> = {}): ScheduleDocument {
  const id = scheduleDocumentId('nightly')
  const made: ScheduleDocument = {
    id,
    pk: id,
    type: 'sas.schedule',
    schema: schemaVersion,
    scheduleId: 'nightly',
    workflow: 'clean-up',
    calendar: { everyMs: 60_000 },
    overlap: 'allow',
    catchUpMs: 3_600_000,
    jitterMs: 0,
    definitionHash: 'h1',
    nextDueMs: null,
    completeByMs: null,
    resumedMs: null,
    last: null,
    submitted: 0,
    missed: 0,
    skipped: 0,
    passed: [],
    paused: null,
    audit: [],
    createdAt: new Date(createdMs).toISOString(),
    ttl: -1,
    ...overrides,
  }
  return withNextAfter(made, createdMs)
}

/** Returns a schedule whose plan is changed after its definition, so that no tick can be submitted. */
export function withPlan(schedule: Schedule, change: (plan: Plan) => Plan): Schedule {
  const { definition } = schedule
  const { job } = definition
  return { ...schedule, definition: { ...definition, job: { ...job, plan: change(job.plan) } } }
}

/** Returns a plan whose steps have a condition that cannot be read. */
export function withoutSense(plan: Plan): Plan {
  return { ...plan, steps: plan.steps.map((step) => ({ ...step, when: { no: 1 } })) }
}
