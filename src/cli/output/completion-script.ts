import type { Command, Option } from 'commander'
import { processorNameOf, roles } from '../../connection/internal.js'
import type { Shell } from './shells.js'

/**
 * The words and options that may follow a path of commands, such as `emulator split`. The path of the program
 * itself is empty.
 */
interface Completion {
  readonly path: string
  /** Subcommands with their descriptions, and values of arguments. */
  readonly words: readonly { readonly word: string; readonly text: string }[]
  readonly options: readonly Option[]
}

export function completionScript(program: Command, shell: Shell): string {
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }
  return scripts[shell](completionsOf(program))
}

function completionsOf(command: Command, path = ''): readonly Completion[] {
  const children = command.commands.map((child) => ({ word: child.name(), text: child.description() }))
  const values = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  return [
    {
      path,
      words: [...children, ...values.map((word) => ({ word, text: '' }))],
      options: command.createHelp().visibleOptions(command),
    },
    ...command.commands.flatMap((child) => completionsOf(child, `${path} ${child.name()}`.trim())),
  ]
}

/**
 * Returns the values to offer for an option. Returns an empty string if every value is allowed, and null if
 * the option takes no value.
 */
function valuesOf({ long, argChoices, required, optional }: Option): string | null {
  if (!required && !optional) return null
  const offered = long === '--processor' ? roles.map((role) => processorNameOf(role)) : []
  return (argChoices ?? offered).join(' ')
}

function bashScript(completions: readonly Completion[]): string {
  const nested = completions.flatMap(({ path }) => (path.includes(' ') ? [`'${path}'`] : []))
  const cases = completions.flatMap(({ path, words, options }) => {
    const any = [...words.map(({ word }) => word), ...options.map(({ long }) => long ?? '')]
    const ofOptions = options.map((option) => [`'${path}:${option.long ?? ''}'`, valuesOf(option)] as const)
    return [...ofOptions.filter(([, values]) => values !== null), [`'${path}:'*`, any.join(' ')] as const]
  })
  return `# bash completion of stepward; to use it: source <(stepward completion bash)
_stepward() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) continue ;; esac
    if [ -z "$path" ]; then path="$word"; continue; fi
    case "$path $word" in ${nested.join('|')}) path="$path $word" ;; esac
  done
  case "$path:\${COMP_WORDS[COMP_CWORD-1]}" in
${cases.map(([pattern, words]) => `    ${pattern}) words='${words}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _stepward stepward
`
}

function zshScript([program, ...commands]: readonly Completion[]): string {
  const described = program?.words.map(({ word, text }) => `    ${quoted(`${word}:${text}`)}`) ?? []
  const outer = commands.filter(({ path }) => !path.includes(' '))
  const cases = outer.map(({ path, words, options }) => {
    const first = words.length === 0 ? '*:file:_files' : `1:word:(${words.map(({ word }) => word).join(' ')})`
    return `    ${path}) _arguments ${[...options.map(zshOption), first].map(quoted).join(' ')} ;;`
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

function zshOption(option: Option): string {
  const text = option.description.replaceAll(/[[\]]/g, '').replaceAll(':', '\\:')
  const values = valuesOf(option)
  const action = values === '' ? '_files' : `(${values})`
  return `${option.long ?? ''}[${text}]${values === null ? '' : `:value:${action}`}`
}

function fishScript(completions: readonly Completion[]): string {
  const lines = completions.flatMap(({ path, words, options }) => {
    const seen = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`)
    const line = `complete -c stepward -n '${path === '' ? '__fish_use_subcommand' : seen.join('; and ')}'`
    return [
      ...words.map(({ word, text }) => `${line} -f -a ${word} -d ${quoted(text)}`),
      ...options.map((option) => `${line} ${fishOption(option)}`),
    ]
  })
  return `# fish completion of stepward; to use it: stepward completion fish | source\n${lines.join('\n')}\n`
}

function fishOption(option: Option): string {
  const values = valuesOf(option)
  const argument = values === '' ? ' -r' : ` -x -a '${values}'`
  return `-l ${option.long?.slice(2)}${values === null ? '' : argument} -d ${quoted(option.description)}`
}

/** Puts a text into single quotes that every shell reads. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
