import type { Tags } from '../../sas/index.js'
import { readTags } from '../../sas/internal.js'

/** Returns the tags of `--tag NAME=VALUE` options, with all problems. */
export function tagsOf(given: readonly string[] = []): {
  readonly tags: Tags
  readonly problems: readonly string[]
} {
  const pairs = given.map((tag) => ({ tag, end: tag.indexOf('=') }))
  const unnamed = pairs.filter(({ end }) => end < 1)
  const named = pairs.filter(({ end }) => end >= 1)
  const entries = named.map(({ tag, end }): [string, string] => [tag.slice(0, end), tag.slice(end + 1)])
  const tags = Object.fromEntries(entries)
  const twice = entries.filter(([name, value]) => tags[name] !== value)
  const problems = [
    ...unnamed.map(({ tag }) => `--tag ${JSON.stringify(tag)} must be NAME=VALUE, such as customer=4711`),
    ...twice.map(([name]) => `--tag ${name} has two values; a job has one value for each name`),
    ...readTags(tags).problems.map((problem) => `--tag: ${problem}`),
  ]
  return { tags, problems }
}

/** Returns tags as a person writes them: `customer=4711, region=eu`. */
export function tagsText(tags: Tags): string {
  return Object.entries(tags)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(', ')
}
