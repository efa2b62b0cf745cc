import { CommanderError, type Command } from 'commander'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as stepward from '../../../src/index.js'
import { codesByName, exitCodeOf, exitCodes } from '../../../src/cli/output/cli-error.js'
import { programOf } from '../../../src/cli/program.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { startHost, type Host } from '../../../src/host/index.js'
import { defineAgent, defineSchedule, defineWorkflow } from '../../../src/sas/index.js'
import { shop } from '../../support/a-job.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const bank = defineAgent('bank', {
  pay: (): never => {
    throw new Error('the line is down')
  },
  refund: (_input: object) => null,
})
const buying = defineWorkflow('buying', (job) => {
  job.step('pay', bank.pay, {}, { undo: () => bank.refund({}), retry: { tries: 1 } })
})
const waiting = defineWorkflow('waiting', (job) => {
  const sure = job.ask('sure', { title: 'Sure?', completeWithin: '3d' })
  job.step('sell', shop.sell, { item: 'x' }, { after: [sure], undo: 'none' })
})
const nightly = defineSchedule('nightly', { workflow: waiting, input: {}, cron: '0 3 * * *' })

let emulator: Emulator
let host: Host
let connection: readonly string[]
/** A folder without a fleet, and a folder without a store. */
let folder: string
const { terminal, forget } = recordedTerminal()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepward-'))
  emulator = await startEmulator({ port: 0 })
  connection = ['--endpoint', emulator.endpoint, '--key', emulator.key]
  host = await startHost({ endpoint: emulator.endpoint, key: emulator.key, agents: [bank, shop] })
  const { client } = host
  await expect((await client.submit(buying, {}, { jobId: 'failed' })).result()).rejects.toThrow('down')
  const asking = await client.submit(waiting, {}, { jobId: 'open' })
  for await (const { why } of asking.updates()) if (why.includes('waits for an answer')) break
  await client.schedules.set(nightly)
  await client.limits.set('desk', { atOnce: 1 })
  await client.limits.pause('desk')
  await writeFile(join(folder, 'input.json'), '{}')
})
afterAll(async () => {
  await host.stop()
  await emulator.close()
  await rm(folder, { recursive: true })
})
beforeEach(forget)

/** Runs a command line as `main.ts` does, and returns its exit code. */
async function codeOf(...words: readonly string[]): Promise<number> {
  let code: number | undefined
  const ending = async (run: Promise<number>): Promise<void> => {
    code = await run
  }
  const program = programOf({ version: '1.2.3', terminal, ending })
  for (const command of commandsIn(program))
    command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
  try {
    await program.parseAsync([...words], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    return exitCodeOf(error)
  }
  return code ?? Number.NaN
}

function commandsIn(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(commandsIn)]
}

/** Returns the words that call each command, with a value for each argument that it needs. */
function callsOf(command: Command, path: readonly string[] = []): readonly (readonly string[])[] {
  const own = command.registeredArguments.filter(({ required }) => required).map(() => 'missing')
  const isCalled = command.commands.length === 0 || command.name() === 'emulator'
  const inner = command.commands.flatMap((each) => callsOf(each, [...path, each.name()]))
  return [...(path.length > 0 && isCalled ? [[...path, ...own]] : []), ...inner]
}

const program = programOf({ version: '1.2.3', terminal, ending: () => Promise.resolve() })

describe('the exit code 2', () => {
  it.each(callsOf(program).map((words) => [words.join(' '), words] as const))(
    'is that of `%s` with an unknown option',
    async (_title, words) => {
      expect(await codeOf(...words, '--no-such-option')).toBe(2)
    },
  )

  it.each([
    ['restart failed --from pay --why w', 'what the steps have done is neither undone nor kept'],
    ['restart failed --from pay --why w --after leave', 'the choice is unknown'],
    ['restart failed --why w', 'the first step is missing'],
    ['restart open --why w', 'the first step is missing'],
    ['restart failed --from pay', 'the reason is missing'],
    ['restart failed --from pay --why w --after keep --input FOLDER/none.json', 'there is no file'],
    ['resubmit failed', 'the reason is missing'],
    ['resubmit failed --why w --input FOLDER/input.json', 'the step of the input is missing'],
    ['cancel failed', 'the reason is missing'],
    ['migrate failed --why w --module FOLDER/none.js', 'there is no module'],
    ['migrate --why w', 'neither a job nor a workflow is named'],
    ['triage failed', 'nothing is said'],
    ['triage failed --snooze soon', 'the time is no time'],
    ['resend', 'no job is named'],
    ['limit set desk', 'no number is given'],
    ['limit set bank --at-once many', 'the number is no number'],
    ['pause desk open --why w', 'the kind is unknown'],
    ['pause job open', 'the reason is missing'],
    ['scale agents 2', 'the reason is missing'],
    ['rebalance', 'the reason is missing'],
    ['list --since soon', 'the time is no time'],
    ['attention --mine --assignee ann', 'the options exclude each other'],
    ['answer open sure', 'the answer is missing'],
    [
      'schedule backfill nightly --from 2026-01-02 --to 2026-01-01 --why w',
      'the times are in the wrong order',
    ],
    ['history failed --limit none', 'the number is no number'],
    ['status --data FOLDER', 'there is no store'],
    ['check FOLDER/none.js', 'there is no module'],
    ['submit buying FOLDER/none.jsonl --workflows FOLDER/none.js', 'there is no module'],
  ])('is that of `%s`, because %s', async (line) => {
    expect(await codeOf(...wordsOf(line))).toBe(2)
  })
})

describe('the exit code 3', () => {
  it.each([
    'status none',
    'history none',
    'watch none',
    'resubmit none --why w',
    'resubmit failed --step none --why w',
    'release none',
    'release open --step none',
    'cancel none --why w',
    'restart none --from pay --why w',
    'restart failed --from none --why w',
    'migrate none --why w --module MODULE',
    'triage none --note n',
    'raise none pay',
    'raise open none',
    'answer none sure --yes',
    'answer open none --yes',
    'resend none',
    'pause job none --why w',
    'resume job none',
    'resume workflow none',
    'resume agent none',
    'resume key none',
    'limit show none',
    'limit clear none',
    'schedule show none',
    'schedule pause none --why w',
    'schedule resume none --why w',
    'schedule trigger none --why w',
    'schedule backfill none --from 2026-01-01 --to 2026-01-02 --why w',
    'schedule delete none --yes --why w',
    'leases --processor none',
    'dead-letters none',
    'estimate --processor none',
    'doctor --processor none',
    'fleet',
    'stop',
    'scale agents 2 --why w',
    'rebalance --why w',
  ])('is that of `%s`', async (line) => {
    expect(await codeOf(...wordsOf(line))).toBe(3)
  })
})

describe('the exit code 4', () => {
  it.each([
    'resubmit open --why w',
    'restart open --from sell --why w',
    'release failed',
    'triage open --note n',
    'raise failed pay',
    'raise open sell',
    'resend failed',
    'limit set desk --at-once 3',
  ])('is that of `%s`', async (line) => {
    expect(await codeOf(...wordsOf(line))).toBe(4)
  })

  it('is that of an answer to a question that was answered', async () => {
    expect(await codeOf(...wordsOf('answer open sure --yes'))).toBe(0)
    expect(await codeOf(...wordsOf('answer open sure --no'))).toBe(4)
  })
})

it('the exit code 5 is that of a store that does not answer', async () => {
  expect(await codeOf('status', 'failed', '--endpoint', 'http://127.0.0.1:9', '--key', 'a2V5')).toBe(5)
})

it('every error of the package has an exit code', () => {
  const errors = Object.entries(stepward).filter(([, value]) => isErrorClass(value))
  expect(errors.length).toBeGreaterThan(10)
  expect(errors.map(([name]) => name).filter((name) => !(name in codesByName))).toEqual([])
})

function isErrorClass(value: unknown): boolean {
  return typeof value === 'function' && value.prototype instanceof Error
}

function wordsOf(line: string): readonly string[] {
  const words = line
    .replaceAll('FOLDER', folder)
    .replaceAll('MODULE', new URL('checked-module.ts', import.meta.url).pathname)
    .split(' ')
  const takes = optionsOf(words)
  return [
    ...words,
    ...(takes.has('--endpoint') && !words.includes('--data') ? connection : []),
    ...(takes.has('--state') && !takes.has('--tag') ? ['--state', folder] : []),
  ]
}

/** Returns the options of the command that these words call. */
function optionsOf(words: readonly string[]): ReadonlySet<string> {
  let command = program
  for (const word of words) command = command.commands.find((each) => each.name() === word) ?? command
  return new Set(command.options.flatMap(({ long }) => long ?? []))
}
