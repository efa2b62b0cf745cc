import type { TriageOptions } from './triage-options.js'

/** What a triage can remove. */
export const clearable = ['all', 'assignee', 'note', 'snooze'] as const

/** The parts of a triage as a person writes them on a command line or on the page. */
export interface TriageTexts {
  readonly assign?: string | undefined
  readonly note?: string | undefined
  /** A duration such as `2h`, or a date. */
  readonly snooze?: string | undefined
  readonly clear?: (typeof clearable)[number] | undefined
}

export type TriageParts = Pick<TriageOptions, 'assignee' | 'note' | 'snooze'>

/** Returns what the texts say, or the reason why they are no triage. The client checks the values. */
export function triageParts({ assign, note, snooze, clear }: TriageTexts): TriageParts | string {
  const given = { assignee: assign, note, snooze: snooze === undefined ? undefined : timeIn(snooze) }
  const names = ['assignee', 'note', 'snooze'] as const
  const isCleared = (name: (typeof names)[number]): boolean => clear === 'all' || clear === name
  const both = names.find((name) => isCleared(name) && given[name] !== undefined)
  if (both !== undefined) return `clear is "${clear ?? ''}", which excludes a new ${both}: pass one of them`
  const parts = names.flatMap((name) => {
    const value = isCleared(name) ? null : given[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  if (parts.length === 0) return 'pass a person, a note, the end of a snooze, or a part to clear'
  return Object.fromEntries(parts)
}

/** Returns the date in a text. Any other text is a duration, if it is valid. */
function timeIn(text: string): string | Date {
  const atMs = /^\d{4}-\d\d-\d\d/u.test(text.trim()) ? Date.parse(text) : Number.NaN
  return Number.isNaN(atMs) ? text : new Date(atMs)
}
