import { z } from 'zod'
import { json } from './values/plain-json.js'
import type { Compensation, Pause, RestartedAs, RestartOf, Triage } from './readable-parts.js'
import { limit, place } from './gate-parts.js'
import { pausedWith } from './operator-documents.js'
import { plannedStep } from './planned/planned-step.js'
import { attentionKinds, noticeKinds, secretHolder, ticketHolder } from './shared-parts.js'

/**
 * The entry of a step in the ledger of its job: the state that the scheduler has accepted, and the number of
 * times that the scheduler has written the step.
 */
export const ledgerEntry = z.object({
  state: z.enum([
    'NotStarted',
    'Processing',
    'Processed',
    'Skipped',
    /** The job goes on without this step, whose last attempt reported an error. */
    'Failed',
    /** The job goes on without this step, whose last attempt gave no answer in time. */
    'TimedOut',
    /** The job goes on without this step, which was refused for good. */
    'Refused',
    'Error',
    'Compensating',
    'Compensated',
    'CompensationFailed',
  ]),
  dispatch: z.number().int(),
  /**
   * The `planNumber` of the step document, in the entry of a step that has not begun and whose plan was replaced.
   * A scheduler that remembers a smaller number reads the step again (I39).
   */
  planNumber: z.number().int().optional(),
})

export const compensation = z.object({
  since: z.string(),
  by: z.string(),
  reason: z.string(),
  thenRetry: z.boolean(),
  keeps: z.array(z.string()).optional(),
}) satisfies z.ZodType<Compensation>

const pause = z.object({ since: z.string(), by: z.string(), why: z.string() }) satisfies z.ZodType<Pause>

const restartedAs = z.object({
  jobId: z.string(),
  from: z.string(),
  kept: z.array(z.string()).optional(),
}) satisfies z.ZodType<RestartedAs>

const restartOf = z.object({
  jobId: z.string(),
  from: z.string(),
  at: z.string(),
  by: z.string(),
  why: z.string(),
}) satisfies z.ZodType<RestartOf>

const triage = z.object({
  assignee: z.string().nullable(),
  note: z.string().nullable(),
  snoozedUntil: z.string().nullable(),
  by: z.string(),
  at: z.string(),
  /** The flag of the job at that time. The triage counts only while the job has this flag. */
  about: z.object({
    kind: z.enum(attentionKinds),
    stepId: z.string().nullable(),
    since: z.string(),
    /** The generation of the job, and a hash of the reason for the flag. Earlier versions did not write them. */
    generation: z.number().int().optional(),
    cause: z.string().optional(),
  }),
}) satisfies z.ZodType<Triage>

const triageEntry = z.object({
  at: z.string(),
  by: z.string(),
  stepId: z.string().nullable(),
  why: z.string(),
})

/** The fields that a job has only if its workflow or its submission uses them. Old instances keep them. */
export const optionalJobParts = {
  /** The tags by which jobs are listed, each as `name=value`. */
  tags: z.array(z.string()).optional(),
  /** What the workflow returns, with references. Only clients and the scheduler that ends the job read it. */
  resultTemplate: json.optional(),
  /**
   * What the workflow returned, in a job that has ended as Processed. Missing if it is large. Clients then
   * find it from the template and the steps, so that large outputs are stored only once.
   */
  result: json.optional(),
  /** The pause of the job. Null or missing if it is not paused. Operators write it. A scheduler obeys it. */
  paused: pause.nullable().optional(),
  /**
   * The workflow or agent with which the job was paused. Null or missing if an operator has paused the job itself.
   * It says nothing if the job is not paused.
   */
  pausedWith: pausedWith.nullable().optional(),
  ...secretHolder,
  /**
   * The plans of the steps that have no document yet. The first write of a step creates its document and removes its plan
   * (I45). Missing if every step has a document.
   */
  planned: z.array(plannedStep).optional(),
  /**
   * The job that this job was restarted as. Written once, together with that job. No operator and no scheduler
   * continues this job afterwards (I33).
   */
  restartedAs: restartedAs.optional(),
  /** The events that notices report. Missing if they report all. Instances of earlier versions report all. */
  notify: z.array(z.enum(noticeKinds)).optional(),
  /** The job of which this job is the restart. Written at its creation. */
  restartOf: restartOf.optional(),
  /** The limits of the job, whose keys refer only to its input. Missing if its workflow has none. */
  limits: z.array(limit).optional(),
  /**
   * The place of the job at its limits, which a scheduler writes. Missing before the job has come to a limit. Its
   * `gates` are empty if the job has left them.
   */
  place: place.optional(),
  /**
   * What operators have said about the problem of the job. Operators write it, and only clients read it. Null or
   * missing if there is nothing. A later problem makes it void, so no role has to remove it.
   */
  triage: triage.nullable().optional(),
  /** The triages of flags that other steps have, the newest first. The job does not show these flags now. */
  otherTriages: z.array(triage).optional(),
  /**
   * The newest changes of `triage`. They are not in `audit`, because earlier versions could not read a job with
   * another command in its audit, and so that they push no decision out of it.
   */
  triageAudit: z.array(triageEntry).optional(),
  ...ticketHolder,
}
