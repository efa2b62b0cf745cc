import type { JobSummary, SelectionFilter } from '../sas/index.js'

/** Which flagged jobs a list of problems shows. A suggested command must act on no others. */
export interface ShownJobs {
  readonly filter: SelectionFilter
  readonly assignee?: string | undefined
  readonly onlySnoozed: boolean
  /** The jobs that match, but that the list hides because they are snoozed. */
  readonly hidden: readonly JobSummary[]
}

/** Quotes a word for a shell command line, whatever characters it contains. */
export function word(text: string): string {
  return /^[\w.:@/+=-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Returns the options that leave out jobs of this workflow and step that the list does not show. */
export function shownOptions(
  { filter, assignee, onlySnoozed, hidden }: ShownJobs,
  { workflow, stepId }: { readonly workflow: string; readonly stepId: string | null },
): string {
  const { state, since, before, tags = {}, text, waitingFor, agent, tookAtLeast: took } = filter
  const hides = hidden.some((job) => job.workflow === workflow && (job.attention?.stepId ?? null) === stepId)
  return [
    ...(state === undefined ? [] : [`--state ${state}`]),
    ...(since === undefined ? [] : [`--since ${since.toISOString()}`]),
    ...(before === undefined ? [] : [`--until ${before.toISOString()}`]),
    ...Object.entries(tags).map(([name, value]) => `--tag ${word(`${name}=${String(value)}`)}`),
    ...(text === undefined ? [] : [`--text ${word(text)}`]),
    ...(waitingFor === undefined ? [] : [`--waiting-for ${waitingFor}`]),
    ...(agent === undefined ? [] : [`--agent ${word(agent)}`]),
    ...(took === undefined ? [] : [`--took ${word(typeof took === 'number' ? `${took}ms` : took)}`]),
    ...(assignee === undefined ? [] : [`--assignee ${word(assignee)}`]),
    ...(onlySnoozed ? ['--snoozed'] : hides ? ['--not-snoozed'] : []),
  ]
    .map((option) => ` ${option}`)
    .join('')
}
