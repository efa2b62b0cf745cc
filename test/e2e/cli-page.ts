import { Command, type Option } from 'commander'
import { withExamples } from '../../src/cli/examples.js'
import { withCommonOptions, withStoreOptions } from '../../src/cli/input/store-options.js'

/** The part of the page about all commands. */
const introduction = `# Command line

A test writes this page from the program. \`stepward --help\` and \`stepward COMMAND --help\` print the same texts.

If a command fails, it says in one line what went wrong and what to do next. \`--verbose\` adds the stack. \`--json\` prints the
result as JSON, for scripts. Results go to standard output, and everything else goes to standard error. In a pipe, there are
no colours and no progress bars. On a terminal, \`NO_COLOR\` turns colours off.

## Exit codes

| code | meaning |
| --- | --- |
| 0 | done, and the result is good |
| 1 | the command ran, but its result is a failure: a job did not end well, something needs attention, or a line of a file can never be accepted although other lines were. Or the command cannot run here now, because the embedded store's port or data directory is in use |
| 2 | the command line, a file or the configuration is wrong; nothing was done |
| 3 | there is no such job, step, schedule, limit, fleet or processor |
| 4 | a conflict: the id belongs to a job with another payload (the other lines of the file are submitted), or the state of the job, the limit or the document does not allow the command |
| 5 | the store or Azure was not reached, or it refused the request |
| 130 | Ctrl-C (SIGINT) ended the command before its result was known |
| 143 | SIGTERM ended the command before its result was known |

A second \`pause\` of the same job, workflow, agent, key or schedule changes nothing: the command says who has paused it, and
ends with 0. A second \`resume\` also changes nothing and ends with 0. A \`resume\` of something unknown ends with 3. A key
is unknown if no step has used it and it is not paused.

If no job matches, a command warns about a \`--workflow\` or \`--step\` that the newest jobs and the module of the configuration
do not have, and names the nearest name. The exit code stays the same. The warning is on standard error. The JSON of commands that
act on jobs has it in \`warnings\`, too.
`

/** Returns the reference of every command of a program, as Markdown. */
export function cliPage(program: Command): string {
  const everywhere = namesOf(withCommonOptions(new Command()))
  const ofStores = withStoreOptions(new Command())
  const shared = namesOf(ofStores)
  const sections = commandsIn(program).map(([path, command]) => {
    const isOnStore = [...shared].every((name) => namesOf(command).has(name))
    const options = visible(command).filter(({ long }) => !(isOnStore ? shared : everywhere).has(long ?? ''))
    const parts = [
      `## stepward ${path}`,
      sentence(command.description()),
      fenced(`stepward ${path} ${usageOf(command)}`),
      optionTable(options),
      isOnStore ? 'Uses the store that is chosen with [the store options](#options-of-stores).' : '',
      `Example: \`${exampleOf(path)}\``,
    ]
    return parts.filter((part) => part !== '').join('\n\n')
  })
  const stores = visible(ofStores).filter(({ long }) => !everywhere.has(long ?? ''))
  const ofEvery = `## Options of stores\n\nFlags take precedence over the environment, and the environment takes precedence over the configuration file ([configuration](configuration.md)).\n\n${optionTable(stores)}`
  return `${[introduction.trimEnd(), ofEvery, ...sections].join('\n\n')}\n`
}

/** Returns every command with its full path: `emulator`, `emulator split`. */
export function commandsIn(command: Command, path: readonly string[] = []): [string, Command][] {
  return command.commands.flatMap((child): [string, Command][] => {
    const here = [...path, child.name()]
    return [[here.join(' '), child], ...commandsIn(child, here)]
  })
}

/** Returns the visible options except `--help`. */
export function visible(command: Command): readonly Option[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
}

function namesOf(command: Command): ReadonlySet<string> {
  return new Set(visible(command).map(({ long }) => long ?? ''))
}

function usageOf(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`
    return argument.required ? `<${name}>` : `[${name}]`
  })
  return [...words, '[options]'].join(' ')
}

function optionTable(options: readonly Option[]): string {
  if (options.length === 0) return ''
  const rows = options.map(({ flags, description, defaultValue, argChoices }) => {
    const values = argChoices === undefined ? '' : `: ${argChoices.join(', ')}`
    const preset = defaultValue === undefined ? '' : ` (default \`${String(defaultValue)}\`)`
    return `| \`${flags}\` | ${description}${values}${preset} |`
  })
  return ['| option | |', '| --- | --- |', ...rows].join('\n')
}

/** Returns the example at the end of the help of a command. */
function exampleOf(path: string): string {
  const [first, ...rest] = path.split(' ')
  const alone = new Command('stepward')
  let command = alone.command(first ?? '')
  for (const word of rest) command = command.command(word)
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text) })
  withExamples(alone)
  command.outputHelp()
  return /\nExample:\n {2}(.+)\n/u.exec(help)?.[1] ?? `stepward ${path}`
}

function fenced(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\``
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
