import type { Command } from 'commander'

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
  for (const inner of command.commands) withUsageErrors(inner, `${path} ${inner.name()}`)
  return command
}
