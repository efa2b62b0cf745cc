import type { Command } from 'commander'
import { expect, it } from 'vitest'
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
