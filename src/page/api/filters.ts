import { z } from 'zod'
import { containerNameProblem, instantOf } from '../../operations/index.js'
import { durationMs, withoutUndefined } from '../../platform/internal.js'
import type { SelectionFilter } from '../../sas/index.js'
import { causePattern, tagsByName, waitKinds } from '../../sas/internal.js'
import { RequestInvalid } from './route.js'
import { state as stateName } from './shapes.js'

const time = z.string().min(1).optional().meta({ description: 'An age such as 2h, or a date.' })

/** The rule of a tag. */
export const tagRule = 'must be NAME=VALUE, such as customer=4711'

/** The largest number of rows on a page of a list. */
const mostRows = 500

/** Returns the parameter with the number of rows of a list. */
export function rowLimit(usual: number) {
  return wholeNumber(1, mostRows).default(usual)
}

/** Returns a parameter of a query that is a whole number. */
export function wholeNumber(least: number, most: number) {
  const rule = `must be a whole number from ${least} to ${most}`
  return z.coerce.number(rule).int(rule).min(least, rule).max(most, rule)
}

/** The filters of the command line. A text is never empty, because an empty filter would match every job. */
export const filterShape = {
  workflow: z.string().min(1).optional(),
  state: stateName.optional(),
  step: z.string().min(1).optional(),
  since: time,
  until: time,
  tag: z
    .string()
    .regex(/^[^=]+=./, tagRule)
    .optional()
    .meta({ description: 'A tag as NAME=VALUE.' }),
  text: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'A part of the id, of the order id or of the workflow.' }),
  waitingFor: z
    .enum(waitKinds)
    .optional()
    .meta({ description: 'Jobs with a step that waits for this. "retry" means that an attempt failed.' }),
  agent: z.string().min(1).optional().meta({
    description:
      'Jobs in which a step of this agent is under way. With "waitingFor", the same step must wait.',
  }),
  took: z
    .string()
    .refine((text) => (durationMs(text) ?? 0) > 0, 'must be a duration such as 90s, 30m or 2h')
    .optional()
    .meta({ description: 'The least time from the submission of a job to its end.' }),
}

const isTrue = z.enum(['true']).optional()

/** The name of a cause, which comes from the answer about problems. */
export const cause = z
  .string()
  .regex(causePattern, 'must be the name of a cause, from a filter of /api/attention')
  .optional()
  .meta({ description: 'Only jobs whose problem has this cause, as in a `filter` of `/api/attention`.' })

/** The filters of an action: those of a list, and those of flagged jobs. */
export const selectedShape = {
  ...filterShape,
  cause,
  assignee: z.string().min(1).optional().meta({ description: 'Only flagged jobs assigned to this person.' }),
  snoozed: isTrue.meta({ description: 'Only flagged jobs that are snoozed.' }),
  notSnoozed: isTrue.meta({ description: 'No snoozed jobs.' }),
}

/** @throws RequestInvalid if two fields exclude each other, or if `since` or `until` is not a time */
export function selectedBy(
  { cause, assignee, snoozed, notSnoozed, ...asked }: z.infer<z.ZodObject<typeof selectedShape>>,
  nowMs: number,
): SelectionFilter {
  if (snoozed !== undefined && notSnoozed !== undefined) {
    throw new RequestInvalid('snoozed and notSnoozed exclude each other: pass one of them')
  }
  const isSnoozed = snoozed !== undefined ? true : notSnoozed !== undefined ? false : undefined
  return { ...filterOf(asked, nowMs), ...withoutUndefined({ cause, assignee, isSnoozed }) }
}

type AskedFilter = z.infer<z.ZodObject<typeof filterShape>>

/** @throws RequestInvalid if `since` or `until` is not a time */
export function filterOf(asked: AskedFilter, nowMs: number): SelectionFilter {
  const { workflow, state, step, tag, text, waitingFor, agent, took: tookAtLeast } = asked
  const since = timeOf('since', asked.since, nowMs)
  const before = timeOf('until', asked.until, nowMs)
  return {
    ...withoutUndefined({ workflow, state, step, since, before, text, waitingFor, agent, tookAtLeast }),
    ...(tag === undefined ? {} : { tags: tagsByName([tag]) }),
  }
}

function timeOf(name: string, text: string | undefined, nowMs: number): Date | undefined {
  if (text === undefined) return undefined
  const ms = instantOf(text, nowMs)
  if (ms === null) {
    throw new RequestInvalid(`${name} ${JSON.stringify(text)} must be an age such as 2h, or a date`)
  }
  return new Date(ms)
}

/** The name of a container or of a database, which have the same rule. */
export const containerName = z.string().refine((name) => containerNameProblem(name) === null, {
  error: ({ input }) => containerNameProblem(String(input)) ?? undefined,
})
