import { systemClock } from '../../../platform/index.js'
import { counted } from '../../../platform/internal.js'
import { readAttention, type AttentionGroup, type FoundAttention } from '../../../operations/index.js'
import { exitCodes } from '../../output/cli-error.js'
import { durationText } from '../../output/duration-text.js'
import { filterOf } from '../../input/selection.js'
import type { SelectionOptions } from '../../input/selection-options.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { firstOf, warning, wrapped, type Terminal } from '../../output/terminal.js'
import { undeliveredText } from '../../output/undelivered-text.js'

export type AttentionOptions = StoreOptions & SelectionOptions

/**
 * Shows problems that need attention, in groups and with advice. The exit code is 1 if there is a problem.
 */
export async function attention(options: AttentionOptions, terminal: Terminal): Promise<number> {
  const now = systemClock.now()
  const filter = filterOf(options, now)
  const { groups, ...found } = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, (client) => readAttention(client, settings, { filter, now })),
  )
  if (options.json === true) {
    terminal.print(JSON.stringify(groups))
  } else {
    for (const group of groups) printGroup(group, now, terminal)
    terminal.print(summary(found))
  }
  return groups.length === 0 ? exitCodes.ok : exitCodes.failed
}

function printGroup(group: AttentionGroup, now: number, terminal: Terminal): void {
  const { kind, stepId, workflow, message, since, jobIds, advice, command } = group
  const { width } = terminal
  if (kind === 'nothingRuns') {
    terminal.print(`${warning(wrapped(message, width, ''))}\n${wrapped(`→ ${advice}:`, width, '  ')}`)
    terminal.print(`    ${command}\n`)
    return
  }
  const where = stepId === null ? workflow : `${workflow}, step ${stepId}`
  const jobs = counted(jobIds.length, 'job', 'jobs, the oldest')
  const what = kind === 'notify' ? 'not delivered' : kind
  const ago = `${durationText(Math.max(0, now - Date.parse(since)))} ago`
  const head = wrapped(`${what}: ${where}: ${jobs} ${ago}`, width, '')
  terminal.print(`${warning(head)}\n${wrapped(message, width, '  ')}`)
  terminal.print(`${wrapped(firstOf(jobIds), width, '  ')}\n${wrapped(`→ ${advice}:`, width, '  ')}`)
  // The command is on a line of its own and is never wrapped, so that the user can paste it.
  terminal.print(`    ${command}\n`)
}

function summary({ jobs, notices, isStanding }: Omit<FoundAttention, 'groups'>): string {
  if (jobs + notices === 0) return isStanding ? 'no job is flagged' : 'nothing needs attention'
  const flagged = counted(jobs, 'job needs attention', 'jobs need attention')
  return notices === 0 ? flagged : `${flagged}; ${undeliveredText(notices)}`
}
