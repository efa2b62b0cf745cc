import { Argument, Command, Option } from 'commander'
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { completionScript } from '../../../../src/cli/output/completion-script.js'

function aProgram(): Command {
  const program = new Command('stepward').option('--version')
  program
    .command('list')
    .description("jobs, it's newest first")
    .option('--state <state>', 'of [this]: state')
    .addOption(new Option('--role <role...>', 'one').choices(['agents', 'all']))
    .option('--processor <name>')
    .option('--all')
  program.command('scale').addArgument(new Argument('<role>').choices(['agents', 'all']))
  const emulator = program.command('emulator').option('--port <n>')
  emulator.command('split').option('--range <id>')
  return program
}

/** Returns the completions that bash offers after these words. */
function completed(words: readonly string[]): string[] {
  const script = `${completionScript(aProgram(), 'bash')}
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
    _stepward; echo "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ')
}

describe('completion in bash', () => {
  it.each([
    [
      ['stepward', ''],
      ['list', 'scale', 'emulator', 'help', '--version', '--help'],
    ],
    [['stepward', 'em'], ['emulator']],
    [['stepward', 'list', '--s'], ['--state']],
    [
      ['stepward', 'emulator', ''],
      ['split', '--port', '--help'],
    ],
    [['stepward', 'emulator', '--port', 'split', '--r'], ['--range']],
    [['stepward', 'list', 'anything', '--st'], ['--state']],
    [['stepward', 'nothing', ''], ['']],
    [
      ['stepward', 'list', '--role', ''],
      ['agents', 'all'],
    ],
    [['stepward', 'list', '--role', 'ag'], ['agents']],
    [
      ['stepward', 'list', '--processor', 'stepward-s'],
      ['stepward-scheduler', 'stepward-supervisor'],
    ],
    [['stepward', 'list', '--state', ''], ['']],
    [['stepward', 'list', '--all', '--st'], ['--state']],
    [
      ['stepward', 'scale', 'a'],
      ['agents', 'all'],
    ],
  ])('offers the words that fit after %j', (words, expected) => {
    const offered = completed(words)
    expect(offered.filter((word) => word !== 'help' && word !== '--help')).toEqual(
      expected.filter((word) => word !== 'help' && word !== '--help'),
    )
  })
})

it('completion in zsh knows every command, option and value, quoted', () => {
  const script = completionScript(aProgram(), 'zsh')
  expect(script).toContain("'list:jobs, it'\\''s newest first'")
  expect(script).toContain("'--state[of this\\: state]:value:_files'")
  expect(script).toMatch(/^#compdef stepward/)
  expect(script).toContain("'--role[one]:value:(agents all)'")
  expect(script).toContain("'--all[]'")
  expect(script).toContain("'1:word:(split)'")
  expect(script).toContain("'1:word:(agents all)'")
})

it('completion in fish knows every command, option and value, quoted', () => {
  const lines = completionScript(aProgram(), 'fish').split('\n')
  const inList = "complete -c stepward -n '__fish_seen_subcommand_from list'"
  expect(lines).toEqual(
    expect.arrayContaining([
      "complete -c stepward -n '__fish_use_subcommand' -f -a list -d 'jobs, it'\\''s newest first'",
      `${inList} -l state -r -d 'of [this]: state'`,
      `${inList} -l role -x -a 'agents all' -d 'one'`,
      `${inList} -l all -d ''`,
      "complete -c stepward -n '__fish_seen_subcommand_from scale' -f -a agents -d ''",
      "complete -c stepward -n '__fish_seen_subcommand_from emulator; and __fish_seen_subcommand_from split' -l range -r -d ''",
    ]),
  )
})
