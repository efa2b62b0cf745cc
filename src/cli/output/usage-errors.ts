import type { Command, Option } from 'commander'

/** Words the errors of the parser like all other errors: one line that names the command's help. */
export function withUsageErrors(command: Command, path = command.name()): Command {
  command.configureOutput({
    outputError: (text, write) => {
      const problem = text
        .replace(/^error: /u, '')
        .trim()
        .replace(/\.$/u, '')
        .replaceAll(/\s*\n/gu, ' ')
      write(`stepward: ${problem}: see "${path} --help"\n`)
    },
  })
  for (const option of command.options) checkValues(command, option)
  for (const inner of command.commands) withUsageErrors(inner, `${path} ${inner.name()}`)
  return command
}

/** A connection in several texts may have empty ones, which are then not set. */
const mayBeEmpty: ReadonlySet<string | undefined> = new Set(['--endpoint', '--key', '--connection-string'])

/**
 * Refuses an empty value, which often comes from a variable that is not set. Refuses a second value, because the first
 * one would be ignored silently.
 */
function checkValues(command: Command, option: Option): void {
  const { flags, long, variadic, parseArg, argChoices } = option
  // Choices have a parser of their own, which keeps one value. All other parsers collect values.
  const isList = variadic || (parseArg !== undefined && argChoices === undefined)
  const earlier: string[] = []
  command.on(`option:${option.name()}`, (value?: string | null) => {
    if (typeof value !== 'string') return
    if (value === '' && !mayBeEmpty.has(long))
      command.error(`error: option '${flags}' argument '' is invalid. It must not be empty`)
    if (!isList && earlier.some((other) => other !== value))
      command.error(`error: option '${flags}' is given twice, with different values. Give it once`)
    earlier.push(value)
  })
}
