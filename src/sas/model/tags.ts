/** The tags of a job, by name. A number or a boolean equals its text, so `4711` and `'4711'` are one value. */
export type Tags = Readonly<Record<string, string | number | boolean>>

/** The largest number of tags of a job. Each tag is indexed, so each tag adds to the cost of a write. */
const maxTags = 10
const maxValueLength = 100

const namePattern = /^[A-Za-z][\w.-]{0,49}$/
/** Matches control characters and lone halves of UTF-16 pairs. */
const unprintable = /[\p{Cc}\p{Cs}]/u

export interface ReadTags {
  /** The tags as they are stored: `name=value`, ordered by name. */
  readonly stored: readonly string[]
  readonly problems: readonly string[]
}

/**
 * Reads tags and returns all problems. A tag is stored as one text, because one index then serves tags with
 * every name, and because a command line cannot tell the text `4711` from the number.
 */
export function readTags(tags: unknown): ReadTags {
  if (typeof tags !== 'object' || tags === null || Array.isArray(tags)) {
    return { stored: [], problems: ['tags must be an object such as { customer: 4711 }'] }
  }
  const entries = Object.entries(tags as Readonly<Record<string, unknown>>)
  const problems = entries.flatMap(([name, value]) => problemsOf(name, value))
  if (entries.length > maxTags) {
    problems.push(`tags has ${entries.length} tags; a job may have at most ${maxTags}`)
  }
  const stored = entries.map(([name, value]) => `${name}=${String(value)}`)
  return { stored: stored.sort(), problems }
}

/** Returns stored tags by name, as people see them. */
export function tagsByName(stored: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(
    stored.map((tag): [string, string] => {
      const end = tag.indexOf('=')
      return [tag.slice(0, end), tag.slice(end + 1)]
    }),
  )
}

function problemsOf(name: string, value: unknown): string[] {
  const problems: string[] = []
  if (!namePattern.test(name)) {
    const rule = 'begin with a letter, and have at most 50 letters, digits, dots, hyphens and underscores'
    problems.push(`tags: the name ${JSON.stringify(name)} must ${rule}`)
  }
  if (!isTagValue(value)) {
    const rule = `a text of 1 to ${maxValueLength} characters, a number, or true or false`
    problems.push(`tags.${name} is ${shown(value)}; it must be ${rule}`)
  }
  return problems
}

function isTagValue(value: unknown): boolean {
  if (typeof value === 'boolean' || Number.isFinite(value)) return true
  if (typeof value !== 'string') return false
  return value.trim() !== '' && value.length <= maxValueLength && !unprintable.test(value)
}

function shown(value: unknown): string {
  if (typeof value === 'string' && value.length > maxValueLength)
    return `a text of ${value.length} characters`
  // JSON has no `NaN` and no `bigint`.
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : JSON.stringify(value)
}
