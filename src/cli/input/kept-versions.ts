import { durationMs } from '../../platform/internal.js'
import { CliError, exitCodes } from '../output/cli-error.js'

const minuteMs = 60_000

/** Reads the time of `--keep-versions` in milliseconds, or undefined if it is not given. */
export function keptVersionsMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const ms = durationMs(text)
  if (ms !== null && ms >= minuteMs && ms % minuteMs === 0) return ms
  const rule = 'must be a whole number of minutes, such as 90m or 7d'
  throw new CliError(`--keep-versions ${JSON.stringify(text)} ${rule}`, exitCodes.usage)
}
