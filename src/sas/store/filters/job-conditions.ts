import { durationMs } from '../../../platform/internal.js'
import { jobDocumentId } from '../../model/document-ids.js'
import { readTags } from '../../model/tags.js'
import type { JobFilter } from './job-filter.js'
import {
  stepCondition,
  waitingStates,
  waitingTypes,
  type StepFilter,
  type WaitingStep,
} from './waiting-steps.js'

/** The most jobs that a query names. Of more jobs, the states are queried, and the others are left out later. */
const mostNamed = 100

/** The conditions of a query for jobs, with the values that they name. Undefined values are left out. */
export interface JobConditions {
  readonly conditions: readonly string[]
  readonly parameters: Readonly<Record<string, string | number | undefined>>
}

/** A query for steps. */
interface StepQuestion extends Pick<JobConditions, 'parameters'> {
  readonly text: string
}

/**
 * Returns the filter as conditions of a query. `waiting` has the steps that wait for what the filter says. The
 * query may find more jobs than those of these steps.
 */
export function jobConditions(filter: JobFilter, waiting: readonly WaitingStep[] | null): JobConditions {
  const { state, workflow, since, before, isFlagged, isPaused, attention, step, text, tookAtLeast } = filter
  const conditions = ["c.type = 'sas.job'"]
  const tags = tagParameters(filter)
  if (state !== undefined) conditions.push('c.processState = @state')
  if (workflow !== undefined) conditions.push('c.workflow = @workflow')
  if (since !== undefined) conditions.push('c.submittedAtMs >= @since')
  if (before !== undefined) conditions.push('c.submittedAtMs < @before')
  if (isFlagged !== undefined) conditions.push('IS_DEFINED(c.attention.kind)')
  if (isPaused !== undefined) conditions.push('IS_DEFINED(c.paused.since)')
  if (attention !== undefined) conditions.push('c.attention.kind = @attention')
  if (step !== undefined) conditions.push('c.attention.stepId = @step')
  if (text !== undefined) conditions.push(`(${textFields.map(containsText).join(' OR ')})`)
  if (tookAtLeast !== undefined) conditions.push('c.endedAtMs - c.submittedAtMs >= @took')
  for (const name of Object.keys(tags)) conditions.push(`ARRAY_CONTAINS(c.tags, @${name})`)
  const given = { since: since?.getTime(), before: before?.getTime(), state, workflow, attention, step, text }
  const took = tookAtLeast === undefined ? undefined : (durationMs(tookAtLeast) ?? undefined)
  const named = waiting === null ? noConditions : jobsOf(waiting)
  return {
    conditions: [...conditions, ...named.conditions],
    parameters: { ...given, took, ...tags, ...named.parameters },
  }
}

/** The fields in which a text is searched. Each has an index. */
const textFields = ['jobId', 'orderId', 'workflow'] as const

function containsText(field: (typeof textFields)[number]): string {
  return `CONTAINS(c.${field}, @text, true)`
}

/** Checks the text of a filter against a document, for a store without queries. */
export function hasText(document: Readonly<Record<string, unknown>>, wanted: string): boolean {
  return textFields.some((field) => {
    const value = document[field]
    return typeof value === 'string' && value.toLowerCase().includes(wanted.toLowerCase())
  })
}

const noConditions: JobConditions = { conditions: [], parameters: {} }

function jobsOf(steps: readonly WaitingStep[]): JobConditions {
  const states = waitingStates.map((state) => `'${state}'`).join(', ')
  const isOpen = `c.processState IN (${states})`
  const ids = [...new Set(steps.map(({ jobId }) => jobDocumentId(jobId)))]
  if (ids.length === 0 || ids.length > mostNamed) return { conditions: [isOpen], parameters: {} }
  const parameters = Object.fromEntries(ids.map((id, index) => [`job${index}`, id]))
  const names = Object.keys(parameters).map((name) => `@${name}`)
  return { conditions: [isOpen, `c.id IN (${names.join(', ')})`], parameters }
}

/** Returns the query for the steps of a filter. Steps without a deadline or a question do not count towards the charge. */
export function waitingQuery({
  workflow,
  waitingFor,
  agent,
}: StepFilter & Pick<JobFilter, 'workflow'>): StepQuestion {
  const types = waitingTypes(waitingFor).map((type) => `'${type}'`)
  const isOfType = types.length === 1 ? `c.type = ${types.join()}` : `c.type IN (${types.join(', ')})`
  const conditions = [isOfType, stepCondition({ waitingFor, agent })]
  if (workflow !== undefined) conditions.push('c.workflow = @workflow')
  return {
    text: `SELECT c.pk, c.jobId, c.stepId, c.dispatch FROM c WHERE ${conditions.join(' AND ')}`,
    parameters: { workflow, agent },
  }
}

function tagParameters({ tags = {} }: JobFilter): Readonly<Record<string, string>> {
  return Object.fromEntries(readTags(tags).stored.map((tag, index) => [`tag${index}`, tag]))
}
