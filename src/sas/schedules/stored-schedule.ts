import { basicSchema } from '../model/documents.js'
import { schemaOf } from '../plan/plan-schema.js'
import { scheduledJobDocumentId, scheduleDocumentId } from '../model/document-ids.js'
import type { ScheduleDecision, ScheduleDocument, ScheduledJobDocument } from '../model/schedule-documents.js'
import { decodeDocument } from '../model/decode.js'
import type { DocumentAddress, StateStore, Stored } from '../store/state-store.js'
import type { Json } from '../model/values/json.js'
import type { Schedule } from './define-schedule.js'
import { withNextAfter } from './tick-time.js'

/** The time to live of a deleted schedule, in seconds. Meanwhile, all supervisors see that it is deleted. */
const deletedTtl = 60

const keptDecisions = 20

export function scheduleAddress(scheduleId: string): DocumentAddress {
  const id = scheduleDocumentId(scheduleId)
  return { pk: id, id }
}

/** Returns the documents of a schedule that is stored for the first time, or again after it was deleted. */
export function newSchedule(schedule: Schedule, now: number): ScheduleDocument {
  const { id: scheduleId, definition, hash: definitionHash } = schedule
  const { workflow, calendar, overlap, catchUpMs, jitterMs } = definition
  const id = scheduleDocumentId(scheduleId)
  const made: ScheduleDocument = {
    id,
    pk: id,
    type: 'sas.schedule',
    schema: basicSchema,
    scheduleId,
    workflow,
    calendar,
    overlap,
    catchUpMs,
    jitterMs,
    definitionHash,
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
    createdAt: new Date(now).toISOString(),
    ttl: -1,
  }
  return withNextAfter(made, now)
}

export function scheduledJobOf({ id: scheduleId, definition, hash }: Schedule): ScheduledJobDocument {
  const { plan, ...job } = definition.job
  return {
    id: scheduledJobDocumentId(scheduleId),
    pk: scheduleDocumentId(scheduleId),
    type: 'sas.scheduledJob',
    schema: schemaOf(plan),
    scheduleId,
    definitionHash: hash,
    plan: JSON.parse(JSON.stringify(plan)) as Json,
    ...job,
    ttl: -1,
  }
}

/**
 * Returns the stored schedule with another definition. Its counts and a pause stay. If the calendar stays too,
 * ticks that are due are still submitted. With another calendar, the next tick is the first after `now`.
 */
export function redefined<T extends ScheduleDocument>(before: T, schedule: Schedule, now: number): T {
  const { workflow, calendar, overlap, catchUpMs, jitterMs } = schedule.definition
  const definition = { workflow, calendar, overlap, catchUpMs, jitterMs, definitionHash: schedule.hash }
  const isSame = JSON.stringify(sorted(calendar)) === JSON.stringify(sorted(before.calendar))
  const afterMs = isSame && before.nextDueMs !== null ? before.nextDueMs - 1 : now
  return withNextAfter({ ...before, ...definition }, afterMs)
}

function sorted(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
}

type Who = Pick<ScheduleDecision, 'by' | 'why'>

export function pausedSchedule<T extends ScheduleDocument>(before: T, { by, why }: Who, now: number): T {
  const paused = { since: new Date(now).toISOString(), by, why }
  return { ...withDecision(before, { command: 'pause', by, why }, now), paused, completeByMs: null }
}

/** Returns the schedule without its pause. Ticks that were due until now are passed over. */
export function resumedSchedule<T extends ScheduleDocument>(before: T, who: Who, now: number): T {
  const decided = withDecision(before, { command: 'resume', ...who }, now)
  const running = { ...decided, paused: null, resumedMs: now }
  return withNextAfter(running, before.nextDueMs === null ? now : before.nextDueMs - 1)
}

export function deletedSchedule<T extends ScheduleDocument>(before: T, who: Who, now: number): T {
  const decided = withDecision(before, { command: 'delete', ...who }, now)
  return { ...decided, nextDueMs: null, completeByMs: null, ttl: deletedTtl }
}

/** Returns the document of the job of a deleted schedule. It expires together with the schedule. */
export function deletedJob<T extends ScheduledJobDocument>(before: T): T {
  return { ...before, ttl: deletedTtl }
}

export function isDeleted({ ttl }: Pick<ScheduleDocument, 'ttl'>): boolean {
  return ttl !== -1
}

export function withDecision<T extends ScheduleDocument>(
  before: T,
  made: Omit<ScheduleDecision, 'at'>,
  now: number,
): T {
  const entry = { ...made, at: new Date(now).toISOString() }
  return { ...before, audit: [...before.audit, entry].slice(-keptDecisions), operatedAtMs: now }
}

/** Reads a schedule. Returns null if it is missing or unreadable. A deleted schedule is returned. */
export async function readSchedule(
  store: StateStore,
  address: DocumentAddress,
): Promise<Stored<ScheduleDocument> | null> {
  const document = await store.read(address)
  const decoded = document === null ? null : decodeDocument(document)
  if (document === null || decoded?.kind !== 'schedule') return null
  return { ...decoded.schedule, _etag: document._etag, _ts: document._ts }
}

/** Reads the job of a schedule. Returns null if it is missing or unreadable. */
export async function readScheduledJob(
  store: StateStore,
  scheduleId: string,
): Promise<Stored<ScheduledJobDocument> | null> {
  const found = await readAnyScheduledJob(store, scheduleId)
  return found === 'newer' ? null : found
}

/** Reads the job of a schedule. Returns `newer` if only an instance of a newer version can submit it. */
export async function readAnyScheduledJob(
  store: StateStore,
  scheduleId: string,
): Promise<Stored<ScheduledJobDocument> | 'newer' | null> {
  const address = { pk: scheduleDocumentId(scheduleId), id: scheduledJobDocumentId(scheduleId) }
  const document = await store.read(address)
  const decoded = document === null ? null : decodeDocument(document)
  if (decoded?.kind === 'newerSchema') return 'newer'
  if (document === null || decoded?.kind !== 'scheduledJob') return null
  return { ...decoded.scheduledJob, _etag: document._etag, _ts: document._ts }
}
