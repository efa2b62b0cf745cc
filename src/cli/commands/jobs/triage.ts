import { systemClock } from '../../../platform/index.js'
import { counted } from '../../../platform/internal.js'
import type { BulkReport, JobSelection } from '../../../sas/index.js'
import { triageParts, type TriageParts, type TriageTexts } from '../../../sas/internal.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { confirmed } from '../../input/confirmed.js'
import { filterOf } from '../../input/selection.js'
import { isSelected, type SelectionOptions } from '../../input/selection-options.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { bar, type Terminal } from '../../output/terminal.js'
import { noteWarnings, warningsIfEmpty } from './names-of-module.js'
import { whoAmI } from '../../input/who-am-i.js'
import { print } from './resubmit-release-cancel.js'

export interface TriageCommandOptions extends StoreOptions, SelectionOptions, TriageTexts {
  readonly all?: boolean
  readonly yes?: boolean
  readonly by?: string
  readonly dryRun?: boolean
}

/** Says who looks after the problem of one job, or of all jobs that match and need an operator. */
export async function triage(
  jobId: string | undefined,
  options: TriageCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const parts = partsOf(jobId, options)
  const isFiltered = isSelected(options) || options.step !== undefined
  await confirmed(options, { what: 'every job that needs an operator', isFiltered }, terminal)
  const { by = whoAmI(), dryRun = false } = options
  const report = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, async (client) => {
      if (jobId !== undefined) {
        await client.triage(jobId, { ...parts, by, dryRun })
        return { isDryRun: dryRun, done: [jobId], refused: [], warnings: [] }
      }
      const filter = { ...filterOf(options, systemClock.now()), isFlagged: true as const }
      const made = await triageAll(client.select(filter), { ...parts, by, dryRun }, terminal)
      const found = made.done.length + made.refused.length
      const selectedBy = { filter, configured: settings.module }
      return { ...made, warnings: await warningsIfEmpty(client, found, selectedBy) }
    }),
  )
  noteWarnings(report.warnings, terminal)
  if (options.json === true) terminal.print(JSON.stringify({ command: 'triage', ...report }))
  else print('triage', report, terminal)
  return report.refused.length === 0 ? exitCodes.ok : exitCodes.conflict
}

async function triageAll(
  selection: JobSelection,
  terms: TriageParts & { readonly by: string; readonly dryRun: boolean },
  terminal: Terminal,
): Promise<BulkReport> {
  const onProgress = (done: number, total: number): void => {
    terminal.progress(`${bar(done, total, 30)} ${done} of ${counted(total, 'job')}`)
  }
  try {
    return await selection.triage({ ...terms, onProgress })
  } finally {
    terminal.progressDone()
  }
}

/** @throws CliError naming every problem of the arguments */
function partsOf(jobId: string | undefined, options: TriageCommandOptions): TriageParts {
  const isFiltered = isSelected(options) || options.all === true || options.step !== undefined
  const parts = triageParts(options)
  const problems = typeof parts === 'string' ? [`${parts} (--assign, --note, --snooze, --clear)`] : []
  if (jobId === undefined && !isFiltered) {
    problems.push('triage needs a JOB, or filters such as --workflow or --step; --all selects every job')
  }
  if (jobId !== undefined && isFiltered) {
    problems.push('a JOB and filters such as --workflow or --step exclude each other: pass one or the other')
  }
  if (problems.length > 0 || typeof parts === 'string')
    throw new CliError(problems.join('; '), exitCodes.usage)
  return parts
}
