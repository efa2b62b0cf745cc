import type { Command, Option } from 'commander'

export const shells = ['bash', 'zsh'] as const
export type Shell = (typeof shells)[number]

/** Returns a script that completes commands and options. It is generated from the program, so that it is complete. */
export function completionScript(program: Command, shell: Shell): string {
  return shell === 'bash' ? bashScript(program) : zshScript(program)
}

/** Returns the commands with their full paths, such as `emulator` and `emulator split`. */
function commandPaths(command: Command, path: readonly string[] = []): [string, Command][] {
  return command.commands.flatMap((child) => {
    const here = [...path, child.name()]
    return [[here.join(' '), child] as [string, Command], ...commandPaths(child, here)]
  })
}

function visibleOptions(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command)
}

/** Returns every word that may follow a command: its subcommands, and its options by their long names. */
function wordsAfter(command: Command): string {
  const options = visibleOptions(command).flatMap(({ long }) => long ?? [])
  return [...command.commands.map((child) => child.name()), ...options].join(' ')
}

function bashScript(program: Command): string {
  const cases = commandPaths(program).map(([path, command]) => {
    return `    '${path}') words='${wordsAfter(command)}' ;;`
  })
  const nested = commandPaths(program).flatMap(([path]) => (path.includes(' ') ? [`'${path}'`] : []))
  return `# bash completion of stepward; to use it: source <(stepward completion bash)
_stepward() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) continue ;; esac
    if [ -z "$path" ]; then path="$word"; continue; fi
    case "$path $word" in ${nested.join('|')}) path="$path $word" ;; esac
  done
  case "$path" in
    '') words='${wordsAfter(program)}' ;;
${cases.join('\n')}
    *) words='' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _stepward stepward
`
}

function zshScript(program: Command): string {
  const described = program.commands.map((command) => {
    return `    ${quoted(`${command.name()}:${command.description()}`)}`
  })
  const cases = program.commands.map((command) => {
    const options = visibleOptions(command).flatMap((option) => zshOption(option))
    const inner = command.commands.map((child) => child.name()).join(' ')
    const first = inner === '' ? quoted('*:file:_files') : quoted(`1:command:(${inner})`)
    return `    ${command.name()}) _arguments ${[...options, first].join(' ')} ;;`
  })
  return `#compdef stepward
# zsh completion of stepward; to use it: stepward completion zsh > "\${fpath[1]}/_stepward"
_stepward() {
  local -a commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT -= 1 ))
  case "$words[1]" in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = "_stepward" ]; then _stepward "$@"; else compdef _stepward stepward; fi
`
}

function zshOption({ long, description, required, optional }: Option): readonly string[] {
  if (long === undefined) return []
  const text = description.replaceAll(/[[\]]/g, '').replaceAll(':', '\\:')
  return [quoted(`${long}[${text}]${required || optional ? ':value:_files' : ''}`)]
}

/** Puts a text into single quotes, in a form that both shells read. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
