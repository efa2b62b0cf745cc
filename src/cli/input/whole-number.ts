import { CliError, exitCodes } from '../output/cli-error.js'

/** Reads a number from the command line. Throws if it is not a whole number within the bounds. */
export function wholeNumber(
  option: string,
  text: string,
  { min, max }: { min: number; max: number },
): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isInteger(number) && number >= min && number <= max) return number
  throw new CliError(
    `${option} ${JSON.stringify(text)} must be a whole number from ${min} to ${max}`,
    exitCodes.usage,
  )
}
