import { readOptions, kind } from '../../../platform/options.js'
import type { Progress } from '../../model/readable-parts.js'

/** The longest note of a progress report, in characters. */
const maxNoteLength = 200

const amount = kind<number>(
  'a number that is not negative',
  (value) => Number.isFinite(value) && Number(value) >= 0,
)

const shape = {
  done: amount.optional(),
  of: amount.optional(),
  note: kind<string>(
    `a text of at most ${maxNoteLength} characters`,
    (value) => typeof value === 'string' && value.length <= maxNoteLength,
  ).optional(),
}

/**
 * Reads a report of progress as a handler gives it.
 *
 * @throws TypeError that lists every problem
 */
export function readProgress(given: Progress): Progress {
  const { values, problems } = readOptions(shape, given)
  if (problems.length > 0) throw new TypeError(`context.progress: ${problems.join('; ')}`)
  const { done, of, note } = values
  return {
    ...(done !== undefined && { done }),
    ...(of !== undefined && { of }),
    ...(note !== undefined && { note }),
  }
}
