import { badRequest } from '../values/refusal.js'

/**
 * The steps from a document to a value: names of properties, and numbers for elements of arrays. An index
 * treats all elements of an array alike, so all numbers mean the same.
 */
export type PathSteps = readonly (string | number)[]

/** A path of an indexing policy. */
export interface IndexPath {
  readonly steps: PathSteps
  /** `?` means one scalar value, `*` means this value and all values inside it, and '' means no ending. */
  readonly ending: '?' | '*' | ''
}

/** The next part of a path: a quoted name, `[]`, an ending, or a name without quotes. */
const part = /\/(?:"((?:[^"\\]|\\.)*)"|(\[\])|([?*]$)|([^/"?*[\]]+))/uy

/** Reads a path such as `/a/?`, `/a/[]/b/*`, `/"a-b"/?` or, in a composite index, `/a/b`. */
export function parseIndexPath(path: string): IndexPath {
  const steps: (string | number)[] = []
  let position = 0
  while (position < path.length) {
    part.lastIndex = position
    const found = part.exec(path)
    if (found === null) throw unacceptable(path, position)
    const [whole, quoted, elements, ending, name = ''] = found
    if (ending === '?' || ending === '*') return { steps, ending }
    steps.push(elements !== undefined ? 0 : (quoted?.replace(/\\(.)/gu, '$1') ?? name))
    position += whole.length
  }
  if (steps.length === 0) throw unacceptable(path, position)
  return { steps, ending: '' }
}

/** Refuses an indexing path with the text of the service. */
export function unacceptable(path: string, position: number): Error {
  return badRequest(
    `The indexing path '${path}' could not be accepted, failed near position '${position}'. Please ensure ` +
      'that the path is a valid path. Common errors include invalid characters or absence of quotes around ' +
      'labels.',
  )
}

/** Checks whether `start` leads to the same value as `steps`, or to a value that contains it. */
export function isPrefix(start: PathSteps, steps: PathSteps): boolean {
  return start.length <= steps.length && start.every((step, index) => isSameStep(step, steps[index]))
}

export function isSamePath(one: PathSteps, other: PathSteps): boolean {
  return one.length === other.length && isPrefix(one, other)
}

function isSameStep(one: string | number, other: string | number | undefined): boolean {
  return one === other || (typeof one === 'number' && typeof other === 'number')
}
