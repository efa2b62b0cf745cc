import type { Command } from 'commander'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { programOf } from '../../../src/cli/program.js'
import { terminalOf } from '../../../src/cli/output/terminal.js'

const source = fileURLToPath(new URL('../../../src', import.meta.url))
const terminal = terminalOf({ stdout: process.stdout, stderr: process.stderr })
const program = programOf({ version: '1.2.3', terminal, ending: () => Promise.resolve() })

function within(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(within)]
}

function optionsOf(commands: readonly Command[]): ReadonlySet<string> {
  const own = commands.flatMap(({ options }) => options.flatMap(({ long }) => (long ? [long] : [])))
  return new Set([...own, '--help', '--version'])
}

/** The texts in the code of rooms that speak to users of the command line, without comments. */
const texts = [
  'cli',
  'operations',
  'fleet',
  'page',
  'host',
  'connection',
  'sas',
  'change-feed-processor',
].flatMap((room) =>
  readdirSync(join(source, room), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:ts|js)$/u.test(path))
    .map((path) => ({
      path: join(room, path),
      text: withoutComments(readFileSync(join(source, room, path), 'utf8')),
    })),
)

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gmu, '')
}

/** Options of Node and of a process that another process starts. */
const ofOthers = new Set(['--max-semi-space-size', '--conditions', '--import'])

it('every option that a message names is one of a command', () => {
  const known = optionsOf(within(program))
  const named = texts.flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w-])--[a-z][a-z-]+/gu)].map(([name]) => ({ path, name })),
  )
  expect(named.length).toBeGreaterThan(100)
  expect(named.filter(({ name }) => !known.has(name) && !ofOthers.has(name))).toEqual([])
})

it('every command that a message gives has the options that are written after it', () => {
  const calls = texts.flatMap(({ path, text }) =>
    [...text.matchAll(/stepward ((?:[a-z-]+ ?)+)([^"`'\n]*)/gu)].map(([, words = '', rest = '']) => ({
      path,
      words: words.trim().split(' '),
      options: [...`${words}${rest}`.matchAll(/(?<![\w-])--[a-z][a-z-]+/gu)].map(([name]) => name),
    })),
  )
  const wrong = calls.flatMap(({ path, words, options }) => {
    let command = program
    for (const word of words) command = command.commands.find((each) => each.name() === word) ?? command
    const known = command === program ? optionsOf(within(program)) : optionsOf([command])
    return options.filter((name) => !known.has(name)).map((name) => ({ path, words, name }))
  })
  expect(calls.filter(({ options }) => options.length > 0).length).toBeGreaterThan(5)
  expect(wrong).toEqual([])
})

it('outside the command line, errors of a connection name no option of a command', () => {
  const ofLibrary = texts.filter(({ path }) => /^(?:connection|host|sas)\//u.test(path))
  const named = ofLibrary.flatMap(({ path, text }) =>
    [...text.matchAll(/^.*(?<![\w-])--[a-z][a-z-]+.*$/gmu)].map(([line]) => `${path}: ${line.trim()}`),
  )
  // Commands in quotes, and the options of commands that the page shows, are meant for the command line.
  expect(named.filter((line) => !/"stepward |'--[a-z-]+':/u.test(line))).toEqual([])
})
