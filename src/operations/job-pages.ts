import { durationMs } from '../platform/internal.js'
import type { JobFilter, PageEnd } from '../sas/index.js'

/** Returns the text that names the page after this job. It needs no quotes in a shell. */
export function pageAfter({ submittedAt, jobId }: PageEnd): string {
  const id = encodeURIComponent(jobId).replaceAll(
    /[!'()*]/g,
    (sign) => `%${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase()}`,
  )
  return `${submittedAt}/${id}`
}

/** Returns the filter for a page, or null if the text is neither a time nor a value of {@link pageAfter}. */
export function pageBefore(text: string, now: number): Pick<JobFilter, 'before' | 'after'> | null {
  const [, submittedAt, id] = /^(\d{4}-\d\d-\d\dT[\d:.]+Z)\/(.+)$/.exec(text) ?? []
  if (submittedAt === undefined || id === undefined) {
    const beforeMs = instantOf(text, now)
    return beforeMs === null ? null : { before: new Date(beforeMs) }
  }
  try {
    const jobId = decodeURIComponent(id)
    return Number.isNaN(Date.parse(submittedAt)) ? null : { after: { submittedAt, jobId } }
  } catch {
    return null
  }
}

/** Returns the earliest of the times that are given. */
export function earliest(...times: readonly (Date | undefined)[]): Date | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.toSorted((one, other) => one.getTime() - other.getTime()).at(0)
}

/** Converts a date or a duration before `now` to epoch milliseconds. Returns null for any other text. */
export function instantOf(text: string, now: number): number | null {
  const agoMs = durationMs(text)
  if (agoMs !== null) return now - agoMs
  // JavaScript also parses text that a person would not call a date.
  const atMs = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(atMs) ? null : atMs
}
