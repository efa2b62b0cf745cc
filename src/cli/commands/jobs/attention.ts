import { systemClock } from '../../../platform/index.js'
import { counted } from '../../../platform/internal.js'
import type { JobClient, SelectionFilter, UndeliveredNotice, UnreadableJob } from '../../../sas/index.js'
import { standingWork } from '../../../operations/index.js'
import { attentionGroups, standingGroup, type AttentionGroup } from '../../output/attention-groups.js'
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
  const filter = { ...filterOf(options, now), isFlagged: true as const }
  const [jobs, notices, unreadable, standing] = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, (client) =>
      Promise.all([
        client.select(filter).list(),
        undeliveredIn(client, filter),
        unreadableIn(client, filter),
        isAboutAll(filter) ? standingWork(settings) : null,
      ]),
    ),
  )
  const groups = [
    ...(standing === null ? [] : [standingGroup(standing, now)]),
    ...attentionGroups(jobs, notices, unreadable),
  ]
  if (options.json === true) {
    terminal.print(JSON.stringify(groups))
  } else {
    for (const group of groups) printGroup(group, now, terminal)
    terminal.print(summary(jobs.length + unreadable.length, notices.length, standing !== null))
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

function isAboutAll({ workflow, state, step }: SelectionFilter): boolean {
  return workflow === undefined && state === undefined && step === undefined
}

const mostNotices = 1_000

/**
 * Returns undelivered notices of the selected jobs. A notice has no state and no step, so a filter by state
 * or step finds none.
 */
async function undeliveredIn(
  client: JobClient,
  { workflow, state, step, since = new Date(0) }: SelectionFilter,
): Promise<readonly UndeliveredNotice[]> {
  if (state !== undefined || step !== undefined) return []
  const which = workflow === undefined ? {} : { workflow }
  const notices = await client.undelivered({ ...which, limit: mostNotices })
  return notices.filter(({ at }) => Date.parse(at) >= since.getTime())
}

/**
 * Returns jobs that cannot be read. Their states and steps are unknown, so a filter by state or step finds
 * none.
 */
async function unreadableIn(
  client: JobClient,
  { workflow, state, step }: SelectionFilter,
): Promise<readonly UnreadableJob[]> {
  if (state !== undefined || step !== undefined) return []
  const found = await client.unreadable()
  return found.filter((job) => workflow === undefined || job.workflow === workflow)
}

function summary(jobs: number, notices: number, isStanding: boolean): string {
  if (jobs + notices === 0) return isStanding ? 'no job is flagged' : 'nothing needs attention'
  const flagged = counted(jobs, 'job needs attention', 'jobs need attention')
  return notices === 0 ? flagged : `${flagged}; ${undeliveredText(notices)}`
}
