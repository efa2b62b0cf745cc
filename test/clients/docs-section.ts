import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const page = join('docs', 'embedded-cosmos.md')
const begin = '<!-- npm run clients writes this table -->'
const end = '<!-- the end of the table -->'

/** Replaces the table of clients in the page. */
export function writeSection(section: string): void {
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), section))
}

/** Returns the page with another table of clients. Throws if the page has no place for it. */
export function withSection(pageText: string, section: string): string {
  const from = pageText.indexOf(begin)
  const to = pageText.indexOf(end, from)
  if (from < 0 || to < 0) throw new RangeError(`${page} has no lines "${begin}" and "${end}"`)
  return `${pageText.slice(0, from + begin.length)}\n\n${section}\n\n${pageText.slice(to)}`
}

/** Returns the table of clients in the page. */
export function sectionIn(pageText: string): string {
  const from = pageText.indexOf(begin)
  return from < 0 ? '' : pageText.slice(from + begin.length, pageText.indexOf(end, from))
}
