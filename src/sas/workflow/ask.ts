import { kind, optional, readOptions } from '../../platform/options.js'
import type { ValueOrReference } from '../model/values/reference.js'
import { StepHandle, type Step } from '../model/values/step-handle.js'
import { toTemplate } from '../model/values/to-template.js'
import { readForm, type JsonSchema, type ZodSchema } from '../waiting/form.js'
import { maxAssignees, maxTitleLength } from '../waiting/put-question.js'
import { byScheduler, type PlanDraft } from './plan-draft.js'
import type { StepOptions } from './step-options.js'

/** Options of a question. */
export interface AskOptions extends Pick<StepOptions, 'after' | 'when' | 'completeWithin' | 'onExhausted'> {
  /** The question, as people read it. At most 500 characters. */
  readonly title: ValueOrReference<string>
  /** The names of the people who are asked. Default: anyone may answer. */
  readonly assignees?: ValueOrReference<readonly string[]>
}

/** The options of {@link addQuestion}, of which a caller in JavaScript may pass any. */
export interface QuestionDraft extends AskOptions {
  readonly form?: JsonSchema | ZodSchema<unknown> | undefined
}

const shape = {
  title: kind<QuestionDraft['title']>(
    `a text of 1 to ${maxTitleLength} characters`,
    (value) => typeof value === 'object' || (typeof value === 'string' && isTitle(value)),
  ),
  assignees: optional(
    kind<NonNullable<QuestionDraft['assignees']>>(
      `a list of at most ${maxAssignees} names`,
      (value) => typeof value === 'object' && (!Array.isArray(value) || isList(value)),
    ),
    [],
  ),
}

/** Adds a step that is done when a person has answered its question. */
export function addQuestion<T>(draft: PlanDraft, id: string, given: QuestionDraft): Step<T> {
  const { title, form, assignees, ...options } = given
  const { values, problems } = readOptions(shape, { title, ...(assignees && { assignees }) })
  for (const what of problems) draft.problemOf(id, what)
  const read = readForm(form)
  if (read.kind === 'problem') draft.problemOf(id, `its form: ${read.what}`)
  if (problems.length > 0 || read.kind === 'problem') return new StepHandle(id)
  return draft.addStep<T>({
    id,
    kind: 'waitFor',
    question: { form: read.form },
    call: () => byScheduler(toTemplate(values, 'question')),
    options: { completeWithin: '7d', retry: { tries: 1 }, undo: 'none', ...options },
  })
}

function isTitle(value: string): boolean {
  return value !== '' && value.length <= maxTitleLength
}

function isList(value: readonly unknown[]): boolean {
  const isName = (one: unknown): boolean => typeof one === 'object' || (typeof one === 'string' && one !== '')
  return value.length <= maxAssignees && value.every(isName)
}
