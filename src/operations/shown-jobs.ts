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

/** An option with its value. The value of an option without one is "true". */
export type ShownOption = readonly [name: string, value: string]

/** Returns the options that leave out jobs of this workflow and step that the list does not show. */
export function shownOptions(
  { filter, assignee, onlySnoozed, hidden }: ShownJobs,
  { workflow, stepId }: { readonly workflow: string; readonly stepId: string | null },
): readonly ShownOption[] {
  const { state, since, before, tags = {}, text, waitingFor, agent, tookAtLeast: took } = filter
  const hides = hidden.some((job) => job.workflow === workflow && (job.attention?.stepId ?? null) === stepId)
  return [
    ...(state === undefined ? [] : [['state', state] as const]),
    ...(since === undefined ? [] : [['since', since.toISOString()] as const]),
    ...(before === undefined ? [] : [['until', before.toISOString()] as const]),
    ...Object.entries(tags).map(([name, value]) => ['tag', `${name}=${String(value)}`] as const),
    ...(text === undefined ? [] : [['text', text] as const]),
    ...(waitingFor === undefined ? [] : [['waitingFor', waitingFor] as const]),
    ...(agent === undefined ? [] : [['agent', agent] as const]),
    ...(took === undefined ? [] : [['took', typeof took === 'number' ? `${took}ms` : took] as const]),
    ...(assignee === undefined ? [] : [['assignee', assignee] as const]),
    ...(onlySnoozed ? [['snoozed', 'true'] as const] : hides ? [['notSnoozed', 'true'] as const] : []),
  ]
}

const withoutValue = ['snoozed', 'notSnoozed']

/** Returns options as words of a command, each with a space before it. */
export function optionWords(options: readonly ShownOption[]): string {
  return options
    .map(([name, value]) => {
      const option = ` --${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
      return withoutValue.includes(name) ? option : `${option} ${word(value)}`
    })
    .join('')
}
