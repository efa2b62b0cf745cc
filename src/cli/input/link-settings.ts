import { processSettings } from '../../connection/internal.js'
import { AnswerLinks } from '../../sas/index.js'
import { CliError, exitCodes } from '../output/cli-error.js'

/**
 * Returns the maker of signed links, with the settings of the environment.
 *
 * @throws CliError if links are not configured
 */
export function linksOf(command: string): AnswerLinks {
  const { answerLinks } = processSettings()
  if (answerLinks !== undefined) return new AnswerLinks(answerLinks)
  const rule = 'set STEPWARD_PUBLIC_URL and STEPWARD_LINK_KEY, as the process with the page has them'
  throw new CliError(`${command} needs the public address and the secret of links: ${rule}`, exitCodes.usage)
}
