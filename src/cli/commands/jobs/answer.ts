import { errorMessage } from '../../../platform/internal.js'
import { withClient, withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import { whoAmI } from '../../input/who-am-i.js'
import { CliError, exitCodes } from '../../output/cli-error.js'
import type { Terminal } from '../../output/terminal.js'

export interface AnswerCommandOptions extends StoreOptions {
  readonly yes?: boolean
  readonly no?: boolean
  /** The answer as JSON. */
  readonly answer?: string
  readonly by?: string
  readonly note?: string
}

/** Answers the question of a step. */
export async function answer(
  jobId: string,
  step: string,
  options: AnswerCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const { by = whoAmI(), note } = options
  const data = answerIn(options)
  const given = { by, ...(note === undefined ? {} : { note }) }
  await withExistingStore({ options, terminal }, (settings) =>
    withClient(settings, (client) => client.answer(jobId, step, data, given)),
  )
  if (options.json === true) terminal.print(JSON.stringify({ command: 'answer', jobId, step, by }))
  else terminal.print(`${by} answered the question of step ${step} of job ${jobId}`)
  return exitCodes.ok
}

function answerIn({ yes = false, no = false, answer: text }: AnswerCommandOptions): unknown {
  const given = [yes, no, text !== undefined].filter(Boolean).length
  if (given !== 1)
    throw new CliError('pass exactly one answer: --yes, --no or --answer JSON', exitCodes.usage)
  if (text === undefined) return yes
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    const message = `--answer ${JSON.stringify(text)} is not JSON: ${errorMessage(error)}`
    throw new CliError(message, exitCodes.usage, { cause: error })
  }
}
