import type { Duration } from '../../platform/index.js'
import { duration, isObject, kind, optional, readOptions, shown } from '../../platform/options.js'
import { isReference, type ValueOrReference } from '../model/values/reference.js'
import { StepHandle, type Step } from '../model/values/step-handle.js'
import { TextTemplate } from '../model/values/text-template.js'
import { toTemplate } from '../model/values/to-template.js'
import { readForm, type JsonSchema, type ZodSchema } from '../waiting/form.js'
import { maxAssignees, maxTitleLength } from '../waiting/put-question.js'
import { nameProblems } from './given-options.js'
import { byScheduler, type PlanDraft } from './plan-draft.js'
import type { StepOptions } from './step-options.js'

/** Options of a question. */
export interface AskOptions extends Pick<StepOptions, 'after' | 'when' | 'completeWithin' | 'onExhausted'> {
  /** The question, as people read it. At most 500 characters. */
  readonly title: ValueOrReference<string>
  /** The names of the people who are asked. Default: anyone may answer. */
  readonly assignees?: ValueOrReference<readonly string[]>
  /**
   * The time after which the people are reminded: the job is flagged as `unanswered`, so operators get an
   * alert, and the submitter gets a notice. Must be shorter than `completeWithin`. Default: no reminder.
   */
  readonly remindAfter?: Duration
  /**
   * The time after which more people are asked: `escalateTo` is added to the assignees, and the job is
   * flagged as `escalated`. Must be shorter than `completeWithin`. Default: no escalation.
   */
  readonly escalateAfter?: Duration
  /** The names of the people who are asked from the escalation on. Requires `escalateAfter`. */
  readonly escalateTo?: ValueOrReference<readonly string[]>
}

/** The options of {@link addQuestion}, of which a caller in JavaScript may pass any. */
export interface QuestionDraft extends AskOptions {
  readonly form?: JsonSchema | ZodSchema<unknown> | undefined
}

const names = kind<NonNullable<QuestionDraft['assignees']>>(
  `a list of at most ${maxAssignees} names`,
  (value) => (Array.isArray(value) ? isList(value) : isReference(value)),
)

const shape = {
  title: kind<QuestionDraft['title']>(
    `a text of 1 to ${maxTitleLength} characters`,
    (value) => isInserted(value) || (typeof value === 'string' && isTitle(value)),
  ),
  assignees: optional(names, []),
  escalateTo: names.optional(),
}

const optionNames = [
  ...['title', 'form', 'assignees', 'remindAfter', 'escalateAfter', 'escalateTo'],
  ...['completeWithin', 'after', 'when', 'onExhausted'],
]

const times = { remindAfter: duration(1_000).optional(), escalateAfter: duration(1_000).optional() }

/** Adds a step that is done when a person has answered its question. */
export function addQuestion<T>(draft: PlanDraft, id: string, given: QuestionDraft): Step<T> {
  if (!isObject(given)) {
    draft.problemOf(id, `its options must be an object, not ${shown(given)}; write { title: 'Is it right?' }`)
    return new StepHandle(id)
  }
  const unknown = nameProblems(given, optionNames, {
    schema: 'form: z.object({ … })',
    question: "title: 'Is it right?'",
  })
  for (const what of unknown) draft.problemOf(id, what)
  if (unknown.length > 0) return new StepHandle(id)
  const { title, form, assignees, escalateTo, remindAfter, escalateAfter, ...options } = given
  const { values, problems } = readOptions(shape, {
    title,
    ...(assignees && { assignees }),
    ...(escalateTo && { escalateTo }),
  })
  const moments = readOptions(times, {
    ...(remindAfter && { remindAfter }),
    ...(escalateAfter && { escalateAfter }),
  })
  for (const what of [...problems, ...moments.problems]) draft.problemOf(id, what)
  if ((escalateTo === undefined) !== (escalateAfter === undefined))
    draft.problemOf(id, 'escalateAfter and escalateTo belong together: give both, or none')
  const read = readForm(form)
  if (read.kind === 'problem') draft.problemOf(id, `its form: ${read.what}`)
  if (problems.length > 0 || read.kind === 'problem') return new StepHandle(id)
  const { remindAfter: remindAfterMs, escalateAfter: escalateAfterMs } = moments.values
  return draft.addStep<T>({
    id,
    kind: 'waitFor',
    question: {
      form: read.form,
      ...(remindAfterMs !== undefined && { remindAfterMs }),
      ...(escalateAfterMs !== undefined && { escalateAfterMs }),
    },
    call: () => byScheduler(toTemplate(values, 'question')),
    options: { completeWithin: '7d', retry: { tries: 1 }, undo: 'none', ...options },
  })
}

/** Checks whether a value is known only when the job runs. */
function isInserted(value: unknown): boolean {
  return isReference(value) || value instanceof TextTemplate
}

function isTitle(value: string): boolean {
  return value !== '' && value.length <= maxTitleLength
}

function isList(value: readonly unknown[]): boolean {
  const isName = (one: unknown): boolean => isInserted(one) || (typeof one === 'string' && one !== '')
  return value.length <= maxAssignees && value.every(isName)
}
