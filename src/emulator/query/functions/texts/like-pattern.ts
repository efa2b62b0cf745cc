import { Effort } from '../../language/effort.js'
import { searcher } from './text-search.js'

/**
 * Compiles a LIKE pattern: `%` matches any run of characters, `_` one, `[a-c]` one of a set, `[^a-c]` one
 * outside it. A character after `escape` stands for itself.
 *
 * Each `%` separates two pieces of the pattern. The first piece must be at the beginning of the text, and the
 * last at its end. Each other piece is matched at its first occurrence after the previous piece, so that as
 * much text as possible is left for the others.
 */
export function compilePattern(pattern: string, escape: string | undefined): (text: string) => boolean {
  const pieces = piecesOf(stepsOf(pattern, escape)).map(compilePiece)
  const [first, ...others] = pieces
  const last = others.pop()
  if (first === undefined) return () => false
  if (last === undefined) return (text) => text.length === first.length && first.fits(text, 0)
  return (text) => {
    const end = text.length - last.length
    if (first.length > end || !first.fits(text, 0) || !last.fits(text, end)) return false
    let at = first.length
    for (const piece of others) {
      const found = piece.find(text, at)
      if (found < 0) return false
      at = found + piece.length
    }
    return at <= end
  }
}

/** Matches one character of the text: a literal character, or a test. */
type CharacterStep = string | ((character: string) => boolean)

/** A step of a pattern; null stands for any run of characters. */
type Step = CharacterStep | null

function stepsOf(pattern: string, escape: string | undefined): Step[] {
  const steps: Step[] = []
  const lastSetEnd = pattern.lastIndexOf(']')
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at)
    const isEscape = character === escape && at + 1 < pattern.length
    // An escape begins no set, so no time is spent on the search for the end of a set.
    const set = !isEscape && character === '[' && at < lastSetEnd ? setAt(pattern, at) : null
    if (isEscape) {
      at += 1
      steps.push(pattern.charAt(at))
    } else if (character === '%') {
      steps.push(null)
    } else if (character === '_') {
      steps.push(() => true)
    } else if (set !== null) {
      at = set.end
      steps.push(setStep(set.members, set.isExcluding))
    } else {
      steps.push(character)
    }
  }
  return steps
}

/**
 * Parses the set that begins at `at`: at least one member, then a closing bracket. Returns null if no set
 * begins there.
 */
function setAt(
  pattern: string,
  at: number,
): { readonly members: string; readonly isExcluding: boolean; readonly end: number } | null {
  const isExcluding = pattern.charAt(at + 1) === '^'
  const start = isExcluding ? at + 2 : at + 1
  const end = pattern.indexOf(']', start)
  if (end > start) return { members: pattern.slice(start, end), isExcluding, end }
  return isExcluding && end === start ? { members: '^', isExcluding: false, end } : null
}

interface Interval {
  readonly from: string
  readonly to: string
}

function setStep(members: string, isExcluding: boolean): Step {
  const intervals: Interval[] = []
  for (let at = 0; at < members.length; at += 1) {
    const from = members.charAt(at)
    const isRange = members.charAt(at + 1) === '-' && at + 2 < members.length
    if (isRange) at += 2
    if (from <= members.charAt(at)) intervals.push({ from, to: members.charAt(at) })
  }
  const disjoint = joined(intervals)
  return (character) => isWithin(disjoint, character) !== isExcluding
}

/** Merges intervals into sorted ones that do not overlap. */
function joined(intervals: readonly Interval[]): readonly Interval[] {
  const result: Interval[] = []
  for (const next of intervals.toSorted((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0))) {
    const last = result.at(-1)
    if (last === undefined || next.from > last.to) result.push(next)
    else if (next.to > last.to) result[result.length - 1] = { from: last.from, to: next.to }
  }
  return result
}

function isWithin(intervals: readonly Interval[], character: string): boolean {
  let low = 0
  let high = intervals.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((intervals[middle]?.from ?? '') <= character) low = middle + 1
    else high = middle
  }
  const interval = intervals[low - 1]
  return interval !== undefined && character <= interval.to
}

type PieceSteps = readonly CharacterStep[]

/** Returns the pieces before, between and after the runs. A piece between two adjacent runs is empty. */
function piecesOf(steps: readonly Step[]): PieceSteps[] {
  const pieces: CharacterStep[][] = [[]]
  for (const step of steps) {
    if (step === null) pieces.push([])
    else pieces.at(-1)?.push(step)
  }
  return pieces
}

interface Piece {
  readonly length: number
  /** Checks whether the piece is at this place. The text must be long enough. */
  fits(text: string, at: number): boolean
  /** Returns the first place of the piece at or after `from`, or -1. */
  find(text: string, from: number): number
}

function compilePiece(steps: PieceSteps): Piece {
  const { length } = steps
  if (steps.every((step) => typeof step === 'string')) {
    const literal = steps.join('')
    return { length, fits: (text, at) => text.startsWith(literal, at), find: searcher(literal) }
  }
  const fits = (text: string, at: number): boolean =>
    steps.every((step, index) => accepts(step, text.charAt(at + index)))
  return { length, fits, find: (text, from) => findSteps(steps, text, from) }
}

function accepts(step: CharacterStep, character: string): boolean {
  return typeof step === 'string' ? step === character : step(character)
}

/**
 * Tries each place. Wildcards within a piece allow no faster search, so the number of comparisons is limited.
 */
function findSteps(steps: PieceSteps, text: string, from: number): number {
  const effort = new Effort('patternComparisons')
  for (let at = from; at + steps.length <= text.length; at += 1) {
    let index = 0
    while (index < steps.length && accepts(steps[index] ?? '', text.charAt(at + index))) index += 1
    if (index === steps.length) return at
    effort.spend(index + 1)
  }
  return -1
}
