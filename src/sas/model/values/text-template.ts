import { guarded } from './guarded.js'
import { isReference, type Reference } from './reference.js'

/** A part of a text: a text, or a value that is inserted when the job runs. */
export type TextPart = string | number | boolean | object

/** A text with values that are known only when the job runs. Made by {@link text}. */
export class TextTemplate {
  constructor(readonly parts: readonly TextPart[]) {
    return guarded(this, {
      whole: 'a text`…` cannot be spread, changed, listed or turned into JSON; pass it on whole',
      looped: 'a text`…` cannot be iterated; pass it on whole',
      property: (name) =>
        `a text\`…\` has no ${JSON.stringify(name)}: its value is known only when the job runs; pass it on whole`,
    })
  }

  [Symbol.toPrimitive](): never {
    throw new TypeError('a text`…` cannot be a part of another text here: write both as one text`…`')
  }
}

/**
 * Makes a text that contains values of the job, as in
 * {@link https://developer.mozilla.org/docs/Web/JavaScript/Reference/Template_literals | a template literal}:
 * ``text`Hello ${job.input.name}` ``. The values are inserted when the step begins: texts, numbers, true and
 * false as they are, objects and lists as JSON. A missing value or null inserts nothing.
 *
 * @throws TypeError if it is called as a function, or if a value is neither a reference nor a text, a number, true or false
 */
export function text(
  strings: TemplateStringsArray,
  ...values: readonly (Reference<unknown> | string | number | boolean)[]
): Reference<string> {
  const given: unknown = strings
  if (!Array.isArray(given))
    throw new TypeError(
      'text is written before a template, without parentheses: text`Hello ${job.input.name}`',
    )
  const parts = strings.flatMap((string, index): TextPart[] => {
    const inserted = index < values.length ? [partOf(values[index], index + 1)] : []
    return string === '' ? inserted : [string, ...inserted]
  })
  return new TextTemplate(parts) as unknown as Reference<string>
}

function partOf(value: unknown, number: number): TextPart {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (value instanceof TextTemplate) return value
  if (isReference(value)) return value
  const found = typeof value === 'object' && value !== null ? 'an object' : String(value)
  throw new TypeError(
    `value ${number} of a text\`…\` is ${found}; insert a reference, such as job.input.name or step.output, or a text`,
  )
}
