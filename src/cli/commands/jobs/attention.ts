import { systemClock } from '../../../platform/index.js'
import { counted } from '../../../platform/internal.js'
import {
  readAttention,
  type AttentionGroup,
  type FoundAttention,
  type TriagedJob,
} from '../../../operations/index.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { durationText } from '../../output/duration-text.js'
import { filterOf } from '../../input/selection.js'
import type { SelectionOptions } from '../../input/selection-options.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { forSameStore } from '../../output/same-store.js'
import { firstOf, warning, wrapped, type Terminal } from '../../output/terminal.js'
import { noteWarnings, warningsIfEmpty } from './names-of-module.js'
import { undeliveredText } from '../../output/undelivered-text.js'
import { whoAmI } from '../../input/who-am-i.js'

export interface AttentionOptions extends StoreOptions, SelectionOptions {
  readonly assignee?: string
  readonly mine?: boolean
  readonly snoozed?: boolean
}

/** The kinds of problems that a terminal shows in words. */
const kindTexts: Readonly<Partial<Record<AttentionGroup['kind'], string>>> = {
  notify: 'not delivered',
  noAgent: 'no agent',
}

/** The most triaged jobs of a group that are listed. */
const mostTriaged = 10

/**
 * Shows problems that need attention, in groups and with advice. The exit code is 1 if there is a problem.
 */
export async function attention(options: AttentionOptions, terminal: Terminal): Promise<number> {
  const now = systemClock.now()
  const { mine = false, snoozed: onlySnoozed = false } = options
  if (mine && options.assignee !== undefined) {
    throw new CliError('--mine and --assignee exclude each other: pass one of them', exitCodes.usage)
  }
  const assignee = mine ? whoAmI() : options.assignee
  const question = { filter: filterOf(options, now), now, assignee, onlySnoozed }
  const {
    groups: read,
    warnings,
    ...found
  } = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, async (client) => {
      const seen = await readAttention(client, settings, question)
      const by = { filter: question.filter, configured: settings.module }
      return { ...seen, warnings: await warningsIfEmpty(client, seen.groups.length, by) }
    }),
  )
  const groups = read.map((group) => ({ ...group, command: forSameStore(group.command, options) }))
  noteWarnings(warnings, terminal)
  if (options.json === true) {
    terminal.print(JSON.stringify(groups))
  } else {
    for (const group of groups) printGroup(group, now, terminal)
    terminal.print(summary(found))
  }
  return groups.length === 0 ? exitCodes.ok : exitCodes.failed
}

function printGroup(group: AttentionGroup, now: number, terminal: Terminal): void {
  const { kind, stepId, workflow, message, since, jobIds, triaged, advice, command } = group
  const { width } = terminal
  if (kind === 'nothingRuns') {
    terminal.print(`${warning(wrapped(message, width, ''))}\n${wrapped(`→ ${advice}:`, width, '  ')}`)
    terminal.print(`    ${command}\n`)
    return
  }
  const where = stepId === null ? workflow : `${workflow}, step ${stepId}`
  const jobs = counted(jobIds.length, 'job', 'jobs, the oldest')
  const what = kindTexts[kind] ?? kind
  const ago = `${durationText(Math.max(0, now - Date.parse(since)))} ago`
  const head = wrapped(`${what}: ${where}: ${jobs} ${ago}`, width, '')
  terminal.print(`${warning(head)}\n${wrapped(message, width, '  ')}`)
  terminal.print(wrapped(firstOf(jobIds), width, '  '))
  for (const one of triaged.slice(0, mostTriaged)) terminal.print(wrapped(triageText(one, now), width, '  '))
  const left = triaged.length - mostTriaged
  if (left > 0) terminal.print(`  and ${left} more, which --json lists`)
  terminal.print(wrapped(`→ ${advice}:`, width, '  '))
  // The command is on a line of its own and is never wrapped, so that the user can paste it.
  terminal.print(`    ${command}\n`)
}

function triageText({ jobId, assignee, note, snoozedUntil }: TriagedJob, now: number): string {
  const isHidden = snoozedUntil !== null && now < Date.parse(snoozedUntil)
  const parts = [
    ...(assignee === null ? [] : [`assigned to ${assignee}`]),
    ...(isHidden ? [`snoozed until ${snoozedUntil.slice(0, 16)}Z`] : []),
    ...(note === null ? [] : [note]),
  ]
  return `${jobId}: ${parts.length === 0 ? 'no longer snoozed' : parts.join('; ')}`
}

function summary({ snoozed, ...found }: Omit<FoundAttention, 'groups'>): string {
  return snoozed === 0 ? present(found) : `${present(found)}; ${snoozed} snoozed: see --snoozed`
}

function present({ jobs, notices, isStanding }: Omit<FoundAttention, 'groups' | 'snoozed'>): string {
  if (jobs + notices === 0) return isStanding ? 'no job is flagged' : 'nothing needs attention'
  const flagged = counted(jobs, 'job needs attention', 'jobs need attention')
  return notices === 0 ? flagged : `${flagged}; ${undeliveredText(notices)}`
}
