import {
  JobNotFound,
  type HistoryDocuments,
  type HistoryMoment,
  type JobHistory,
} from '../../../sas/index.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { wholeNumber } from '../../input/whole-number.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { fitted } from '../../output/fitted.js'
import { table, wrapped, type Terminal } from '../../output/terminal.js'

export interface HistoryCommandOptions extends StoreOptions {
  readonly limit: string
  readonly after?: string
  readonly moment?: string
  readonly showSecrets?: boolean
}

/** Prints the history of a job, page by page, or the documents of one moment. */
export async function history(
  jobId: string,
  options: HistoryCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const limit = wholeNumber('--limit', options.limit, { min: 1, max: 500 })
  const { after, moment } = options
  if (after !== undefined && moment !== undefined)
    throw new CliError('--after and --moment cannot be combined', exitCodes.usage)
  const hidesSecrets = options.showSecrets !== true
  await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, async (client) => {
      const job = await client.get(jobId)
      if (job === null) throw new JobNotFound(jobId)
      if (moment !== undefined) {
        show(await job.historyAt(moment, { hidesSecrets }), options, terminal)
        return
      }
      const page = await job.history({ limit, hidesSecrets, ...(after === undefined ? {} : { after }) })
      print(page, options, terminal)
    }),
  )
  return exitCodes.ok
}

function print(page: JobHistory, options: HistoryCommandOptions, terminal: Terminal): void {
  const { source, note, moments, next, charge } = page
  if (options.json === true) terminal.print(JSON.stringify(page))
  else if (moments.length === 0) terminal.print('nothing more has changed')
  else terminal.print(described(moments, terminal.tableWidth))
  if (note !== null) terminal.note(note)
  if (source === 'versions' && options.json !== true) terminal.note(`read for ${charge.toFixed(1)} RU`)
  if (next !== null) terminal.note(`there is more: run the same command with --after ${next}`)
}

/** The smallest width of the last column, and the largest width of the others. */
const [leastWords, mostOthers] = [30, 64]

/** Returns a table whose last column is wrapped, because people must be able to read all of it. */
function described(moments: readonly HistoryMoment[], width: number): string {
  const room = Math.max(leastWords, width - mostOthers)
  const rows = moments.flatMap(({ moment, at, by, changes }) =>
    changes.flatMap(({ stepId, what }, index) => {
      const first = index === 0 ? [moment ?? '', at.slice(0, 19), by ?? ''] : ['', '', '']
      const lines = what.flatMap((words) => wrapped(words, room, '').split('\n'))
      return lines.map((line, place) =>
        place === 0 ? [...first, stepId ?? 'the job', line] : ['', '', '', '', line],
      )
    }),
  )
  const head = ['MOMENT', 'AT', 'BY', 'DOCUMENT', 'WHAT CHANGED']
  return table(head, fitted(head, rows, Math.max(width, room + mostOthers)))
}

function show(found: HistoryDocuments, options: HistoryCommandOptions, terminal: Terminal): void {
  if (options.json === true) {
    terminal.print(JSON.stringify(found))
    return
  }
  for (const { document, what, after } of found.documents) {
    terminal.print(`${document}: ${what.join('; ')}`)
    terminal.print(JSON.stringify(after, null, 2))
  }
  terminal.note(`read for ${found.charge.toFixed(1)} RU; --json also prints the versions before`)
}
