import { Command } from 'commander'
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { completionScript } from '../../../../src/cli/output/completion-script.js'

function aProgram(): Command {
  const program = new Command('stepward').option('--version')
  program.command('list').description("jobs, it's newest first").option('--state <state>', 'of [this]: state')
  const emulator = program.command('emulator').option('--port <n>')
  emulator.command('split').option('--range <id>')
  return program
}

/** What bash offers after these words. */
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
      ['list', 'emulator', 'help', '--version', '--help'],
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
  ])('%j', (words, expected) => {
    const offered = completed(words)
    expect(offered.filter((word) => word !== 'help' && word !== '--help')).toEqual(
      expected.filter((word) => word !== 'help' && word !== '--help'),
    )
  })
})

it('completion in zsh knows every command and option, quoted', () => {
  const script = completionScript(aProgram(), 'zsh')
  expect(script).toContain("'list:jobs, it'\\''s newest first'")
  expect(script).toContain("'--state[of this\\: state]:value:_files'")
  expect(script).toMatch(/^#compdef stepward/)
  expect(script).toContain("'1:command:(split)'")
})
