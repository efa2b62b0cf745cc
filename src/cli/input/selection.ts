import { instantOf } from '../../operations/index.js'
import { durationMs, withoutUndefined } from '../../platform/internal.js'
import type { SelectionFilter } from '../../sas/index.js'
import { causePattern, processStates, waitKinds } from '../../sas/internal.js'
import { CliError, exitCodes } from '../output/cli-error.js'
import { tagsOf } from './tags.js'
import type { SelectionOptions } from './selection-options.js'

const timeRule = 'must be an age such as 30m, 2h or 1d, or a date such as 2026-01-31T12:00Z'

/** Returns the problem of `--cause`, whose values come from `stepward attention`. */
export function causeProblems(cause: string | undefined): string[] {
  if (cause === undefined || causePattern.test(cause)) return []
  return [
    `--cause ${JSON.stringify(cause)} must be 12 hexadecimal digits, as in a command of "stepward attention"`,
  ]
}

/** @throws CliError naming every invalid option */
export function filterOf(options: SelectionOptions, now: number): SelectionFilter {
  const { workflow, state, step, since, until, tag, text, agent, took } = options
  const known = processStates.find((name) => name.toLowerCase() === state?.toLowerCase())
  const sinceMs = since === undefined ? null : instantOf(since, now)
  const untilMs = until === undefined ? null : instantOf(until, now)
  const tagged = tagsOf(tag)
  const problems: string[] = []
  if (state !== undefined && known === undefined) {
    problems.push(`--state ${JSON.stringify(state)} must be one of ${processStates.join(', ')}`)
  }
  if (since !== undefined && sinceMs === null) {
    problems.push(`--since ${JSON.stringify(since)} ${timeRule}`)
  }
  if (until !== undefined && untilMs === null) {
    problems.push(`--until ${JSON.stringify(until)} ${timeRule}`)
  }
  const waitingFor = waitKinds.find((name) => name === options.waitingFor)
  if (options.waitingFor !== undefined && waitingFor === undefined) {
    problems.push(
      `--waiting-for ${JSON.stringify(options.waitingFor)} must be one of ${waitKinds.join(', ')}`,
    )
  }
  if (took !== undefined && (durationMs(took) ?? 0) <= 0) {
    problems.push(`--took ${JSON.stringify(took)} must be a duration such as 90s, 30m or 2h`)
  }
  if (text === '') problems.push('--text must not be empty')
  if (agent === '') problems.push('--agent must not be empty')
  problems.push(...tagged.problems)
  if (problems.length > 0) throw new CliError(problems.join('; '), exitCodes.usage)
  return {
    ...withoutUndefined({ workflow, state: known, step, text, waitingFor, agent, tookAtLeast: took }),
    ...(sinceMs === null ? {} : { since: new Date(sinceMs) }),
    ...(untilMs === null ? {} : { before: new Date(untilMs) }),
    ...(tag === undefined ? {} : { tags: tagged.tags }),
  }
}
