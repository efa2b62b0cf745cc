import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { examples } from '../../../src/cli/examples.js'
import { programOf } from '../../../src/cli/program.js'
import { terminalOf } from '../../../src/cli/output/terminal.js'

it('the program has commands to provision, scale, stop and observe a system, and to see cost (R13)', () => {
  const terminal = terminalOf({ stdout: process.stdout, stderr: process.stderr })
  const program = programOf({ version: '1.2.3', terminal, ending: () => Promise.resolve() })
  const commands = new Map(program.commands.map((command) => [command.name(), command]))
  for (const name of ['provision', 'doctor', 'scale', 'stop', 'cost', 'status', 'leases', 'estimate']) {
    expect(commands.get(name)?.description(), name).not.toBe('')
    expect(commands.has(name), name).toBe(true)
  }
})

it('the help of every command has an example and fits in 80 columns', () => {
  const terminal = terminalOf({ stdout: process.stdout, stderr: process.stderr })
  const program = programOf({ version: '1.2.3', terminal, ending: () => Promise.resolve() })
  const within = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(within)]
  for (const command of within(program)) {
    let help = ''
    command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 80 })
    command.outputHelp()
    for (const line of help.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
    if (command !== program) expect(help, command.name()).toMatch(/\nExample:\n {2}(stepward|source)/)
  }
})

/** Parses a command line with a program whose commands do nothing. Returns what the parser says about it. */
async function refusalOf(...words: readonly string[]): Promise<string> {
  const terminal = terminalOf({ stdout: process.stdout, stderr: process.stderr })
  const program = programOf({ version: '1.2.3', terminal, ending: () => Promise.resolve() })
  let said = ''
  const within = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: (text) => (said += text) })
    for (const inner of command.commands) within(inner.action(() => undefined))
  }
  within(program)
  await program.parseAsync([...words], { from: 'user' }).catch(() => undefined)
  return said.trim()
}

const [job, why] = ['cancel', '--why=typo']

it.each([
  [
    ['cancel', 'J', '--why', ''],
    /^stepward: option '--why <text>' argument '' is invalid. It must not be empty: see "stepward cancel --help"$/,
  ],
  [
    ['schedule', 'show', 'x', '--data='],
    /^stepward: option '--data <dir>' argument '' is invalid.*: see "stepward schedule show --help"$/,
  ],
  [
    [job, why, '--workflow', 'a', '--workflow', 'b'],
    /'--workflow <name>' is given twice, with different values. Give it once: see/,
  ],
  [['triage', 'J', '--clear', 'note', '--clear', 'all'], /'--clear <part>' is given twice/],
  [[job, why, '--workflow', 'a', '--workflow', 'a'], /^$/],
  [[job, why, '--tag', 'a=1', '--tag', 'b=2', '--json', '--json'], /^$/],
  [['emulator', 'merge', 'a/b', '--ranges', '1', '2'], /^$/],
  [['list', '--key', '', '--endpoint', '', '--connection-string', ''], /^$/],
])('%j', async (words, says) => {
  expect(await refusalOf(...words)).toMatch(says)
})

it('the example of a command has every option that its help calls required', () => {
  const terminal = terminalOf({ stdout: process.stdout, stderr: process.stderr })
  const program = programOf({ version: '1.2.3', terminal, ending: () => Promise.resolve() })
  const marked: string[] = []
  const look = (command: Command, path: string): void => {
    for (const { long, description, mandatory } of command.options) {
      const isMarked = description.includes('(required)')
      expect(isMarked || !mandatory, `${path} ${long ?? ''}`).toBe(true)
      if (!isMarked) continue
      marked.push(`${path} ${long ?? ''}`)
      expect(examples[path], path).toContain(`${long ?? ''} `)
    }
    for (const inner of command.commands) look(inner, `${path} ${inner.name()}`.trim())
  }
  look(program, '')
  const whys = ['resubmit', 'restart', 'migrate', 'cancel', 'pause'].map((name) => `${name} --why`)
  expect(marked).toEqual(expect.arrayContaining([...whys, 'restart --from', 'answer-link --assignee']))
})
