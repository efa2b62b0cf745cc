import { CommandRefused, JobNotFound, type JobView } from '../../../sas/index.js'
import { linksOf } from '../../input/link-settings.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import type { Terminal } from '../../output/terminal.js'

export interface AnswerLinkCommandOptions extends StoreOptions {
  readonly assignee?: string
  readonly expiresIn: string
}

/** Prints a link with which one person can answer the question of a step without an account. */
export async function answerLink(
  jobId: string,
  step: string,
  options: AnswerLinkCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const { assignee, expiresIn } = options
  if (assignee === undefined)
    throw new CliError('answer-link needs --assignee, the person who gets the link', exitCodes.usage)
  const links = linksOf('answer-link')
  const view = await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, async (client) => (await client.get(jobId))?.view()),
  )
  if (view === undefined) throw new JobNotFound(jobId)
  const asked = refuseUnknown(view, step)
  if (asked.length > 0 && !asked.includes(assignee))
    terminal.note(`stepward: ${assignee} is not asked; the question is for ${asked.join(', ')}`)
  const { partitionKey } = view
  const link = links.linkFor({ jobId, step, assignee, partitionKey, expiresIn })
  if (options.json === true)
    terminal.print(JSON.stringify({ command: 'answer-link', jobId, step, assignee, link }))
  else terminal.print(link)
  return exitCodes.ok
}

/** Returns the people who are asked. Throws if the question can no longer be answered. */
function refuseUnknown({ jobId, steps }: JobView, step: string): readonly string[] {
  const found = steps.find(({ stepId, asks }) => stepId === step && asks)
  if (found !== undefined) {
    const { event, question, attempt, state } = found
    if (event !== null) {
      const who = event.by ?? 'a person'
      throw new CommandRefused(jobId, `step ${step} was already answered by ${who} at ${event.at}`)
    }
    // A step that has not begun may still ask.
    if (question === null && (attempt > 0 || state !== 'Pending'))
      throw new CommandRefused(jobId, `step ${step} is ${state}, so its question can no longer be answered`)
    return question?.assignees ?? []
  }
  const asking = steps.filter(({ asks }) => asks).map(({ stepId }) => stepId)
  const those =
    asking.length === 0 ? 'none of its steps asks a question' : `these steps ask: ${asking.join(', ')}`
  throw new CommandRefused(jobId, `step ${JSON.stringify(step)} asks no question; ${those}`)
}
