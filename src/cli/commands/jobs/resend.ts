import { CommandRefused, type JobClient, type ResendOptions as Decision } from '../../../sas/index.js'
import { causeOfNotice } from '../../../operations/index.js'
import { counted, withoutUndefined } from '../../../platform/internal.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import { confirmed } from '../../input/confirmed.js'
import { causeProblems } from '../../input/selection.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { bar, firstOf, wrapped, type Terminal } from '../../output/terminal.js'
import { undeliveredText } from '../../output/undelivered-text.js'
import { noteWarnings, warningsIfEmpty } from './names-of-module.js'
import { whoAmI } from '../../input/who-am-i.js'

export interface ResendOptions extends StoreOptions {
  readonly workflow?: string
  readonly cause?: string
  readonly all?: boolean
  readonly yes?: boolean
  readonly why?: string
  readonly by?: string
  readonly dryRun?: boolean
}

/** The largest number of notices that one run sends. Another run sends the remaining notices. */
const mostNotices = 10_000

interface Resent {
  readonly notices: number
  readonly jobIds: readonly string[]
}

/** Sends again the notices that were given up, of one job or of all jobs that match. */
export async function resend(
  jobId: string | undefined,
  options: ResendOptions,
  terminal: Terminal,
): Promise<number> {
  const { workflow, cause, all, dryRun = false, by = whoAmI(), why } = options
  const decision = { by, ...(why === undefined ? {} : { why }), dryRun }
  const isFiltered = workflow !== undefined || cause !== undefined || all === true
  const [problem] = causeProblems(cause)
  if (problem !== undefined) throw new CliError(problem, exitCodes.usage)
  if (jobId === undefined && !isFiltered) {
    throw new CliError(
      'resend needs a JOB, or --workflow or --cause; --all selects every notice that was given up',
      exitCodes.usage,
    )
  }
  if (jobId !== undefined && isFiltered) {
    throw new CliError(
      'a JOB and --workflow, --cause or --all exclude each other: pass one or the other',
      exitCodes.usage,
    )
  }
  const what = 'every notice that was given up'
  await confirmed(options, { what, isFiltered: workflow !== undefined || cause !== undefined }, terminal)
  const resent = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, async (client) => {
      const jobIds = jobId === undefined ? await untoldJobs(client, { workflow, cause }) : [jobId]
      if (jobId !== undefined) return { notices: await client.resend(jobId, decision), jobIds, warnings: [] }
      const sent = await resendAll(client, { jobIds, decision, terminal })
      const by = { filter: withoutUndefined({ workflow }), configured: settings.module }
      return { ...sent, warnings: await warningsIfEmpty(client, jobIds.length, by) }
    }),
  )
  noteWarnings(resent.warnings, terminal)
  if (options.json === true) terminal.print(JSON.stringify({ isDryRun: dryRun, ...resent }))
  else print(resent, dryRun, terminal)
  return exitCodes.ok
}

async function untoldJobs(
  client: JobClient,
  { workflow, cause }: { readonly workflow: string | undefined; readonly cause: string | undefined },
): Promise<readonly string[]> {
  const notices = await client.undelivered({ ...withoutUndefined({ workflow }), limit: mostNotices })
  const wanted = notices.filter((notice) => cause === undefined || causeOfNotice(notice) === cause)
  return [...new Set(wanted.map(({ jobId }) => jobId))]
}

interface Many {
  readonly jobIds: readonly string[]
  readonly decision: Decision
  readonly terminal: Terminal
}

async function resendAll(client: JobClient, { jobIds, decision, terminal }: Many): Promise<Resent> {
  const done: string[] = []
  let notices = 0
  try {
    for (const [index, jobId] of jobIds.entries()) {
      const count = await resentOf(client, jobId, decision)
      notices += count
      if (count > 0) done.push(jobId)
      terminal.progress(
        `${bar(index + 1, jobIds.length, 30)} ${index + 1} of ${counted(jobIds.length, 'job')}`,
      )
    }
  } finally {
    terminal.progressDone()
  }
  return { notices, jobIds: done }
}

/** Returns the number of resent notices, or 0 if another operator resent them first. */
async function resentOf(client: JobClient, jobId: string, decision: Decision): Promise<number> {
  try {
    return await client.resend(jobId, decision)
  } catch (error) {
    if (error instanceof CommandRefused) return 0
    throw error
  }
}

function print({ notices, jobIds }: Resent, isDryRun: boolean, terminal: Terminal): void {
  if (notices === 0) {
    terminal.print(
      'nothing to send again: every notice was delivered, or the notifier still tries to send it',
    )
    return
  }
  const verb = isDryRun ? 'would be sent again' : 'will be sent again'
  terminal.print(`${undeliveredText(notices)}, and ${verb}:`)
  terminal.print(wrapped(firstOf(jobIds), terminal.width, '  '))
}
