import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { messageFor } from '../../../../src/cli/output/command-words.js'
import { terminalOf } from '../../../../src/cli/output/terminal.js'
import { programOf } from '../../../../src/cli/program.js'
import { ConfigurationInvalid } from '../../../../src/connection/index.js'
import {
  CommandInvalid,
  CommandRefused,
  defineSchedule,
  defineWorkflow,
  type ScheduleOptions,
} from '../../../../src/sas/index.js'
import { triageCommand } from '../../../../src/sas/client/triage/triage-options.js'

/** Calls a command that does nothing, and returns it. */
async function called(...words: readonly string[]): Promise<Command> {
  const program = programOf({ version: '0', terminal: terminalOf(process), ending: () => Promise.resolve() })
  let found = program
  const within = (command: Command): void => {
    command.action(() => {
      found = command
    })
    for (const inner of command.commands) within(inner)
  }
  for (const command of program.commands) within(command)
  await program.parseAsync([...words], { from: 'user' })
  return found
}

function errorOf(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  throw new Error('there was no error')
}

const empty = defineWorkflow('empty', (job) => void job.sleep('wait', '1m'))

describe('an error names the options of the command that was called:', () => {
  it.each<[Partial<ScheduleOptions<unknown>>, RegExp]>([
    [{ cron: '1 2 3' }, /^schedule "x": --cron is "1 2 3"; it must have five fields/],
    [{ every: 'often' }, /^schedule "x": --every is "often"; it must be a duration from 1000 ms.*'$/],
    [{ every: '1h', jitter: '2h' }, /: --jitter is 7200000 ms; it must not exceed --every, 3600000 ms$/],
    [{ every: '1h', catchUp: '1s' }, /: --catch-up is "1s"; it must be/],
    [{ every: '1h', overlap: 'no' as 'skip' }, /: --overlap is "no"; it must be "skip"/],
    [{ every: '1h', timeZone: 'UTC' }, /: --time-zone belongs to --cron; with --every, omit it$/],
    [{}, /: it needs either --cron, such as '30 2 \* \* \*', or --every, such as '1h'$/],
    [{ cron: '1 2 * * *', every: '1h' }, /: it needs either --cron, .* or --every, such as '1h'$/],
  ])('schedule set with %j', async (parts, says) => {
    const error = errorOf(() => defineSchedule('x', { workflow: empty, ...parts }))
    expect(messageFor(error, await called('schedule', 'set', 'x'))).toMatch(says)
  })

  it.each<[string, readonly string[], string]>([
    ['triage: assignee is ""', ['triage', 'J'], '--assign is ""'],
    [
      'clear is "all", which excludes a new assignee: pass one',
      ['triage', 'J'],
      '--clear is "all", which excludes a new --assign: pass one',
    ],
    ['inbox: assignee is ""', ['inbox'], '--assignee is ""'],
    [
      'limits.set: a limit needs atOnce or perSecond',
      ['limit', 'set', 'k'],
      'a limit needs --at-once or --per-second',
    ],
    ['limits.set: burst needs perSecond', ['limit', 'set', 'k'], '--burst needs --per-second'],
    ['history: moment "x" names no transaction', ['history', 'J'], '--moment "x" names no transaction'],
    [
      'raiseEvent: jobId is ""; step is ""; key is ""',
      ['raise', 'J', 'S'],
      'JOB is ""; STEP is ""; --event-key is ""',
    ],
    ['resubmit: step is ""; by is ""', ['resubmit', 'J'], '--step is ""; --by is ""'],
    ['cancel: reason is ""', ['cancel', 'J'], '--why is ""'],
    ['get: id is ""', ['schedule', 'show', 'x'], 'SCHEDULE is ""'],
    [
      'backfill: from is 2; it must not be later than to, 1',
      ['schedule', 'backfill', 'x', '--from', '1h', '--to', '1h'],
      '--from is 2; it must not be later than --to, 1',
    ],
    [
      'partitionKey is ""; notify is 1; completeWithin is ""; retainFor is ""; --tag "x" must be NAME=VALUE',
      ['submit', 'w'],
      '--partition-key is ""; --notify is 1; --complete-within is ""; --retain-for is ""; --tag "x" must be NAME=VALUE',
    ],
    ['list: workflow is ""; tags is 7', ['list'], '--workflow is ""; --tag is 7'],
    ['the reason is short: what is by is fine', ['cancel', 'J'], 'the reason is short: what is by is fine'],
    ['cancel: by is "x; why is atOnce"', ['limit', 'set', 'k'], '--by is "x; why is atOnce"'],
  ])('%s', async (message, words, says) => {
    expect(messageFor(new CommandInvalid(message), await called(...words))).toBe(says)
  })

  it('a wrong end of a snooze', async () => {
    const error = errorOf(() =>
      triageCommand({ snooze: '0s', assignee: undefined, note: undefined }, 'ann', 0),
    )
    expect(messageFor(error, await called('triage', 'J'))).toMatch(/^--snooze is "0s"; it must be a duration/)
  })

  it('a setting, only if it was typed, because it may also come from the environment', async () => {
    const error = new ConfigurationInvalid([
      'endpoint is "x"; it must be a URL',
      'key is ""; it must be text',
    ])
    expect(messageFor(error, await called('list', '--endpoint', 'x'))).toBe(
      '--endpoint is "x"; it must be a URL; key is ""; it must be text',
    )
    expect(messageFor(error)).toBe(error.message)
  })

  it('but the refusal of a job keeps its words', async () => {
    expect(messageFor(new CommandRefused('J', 'step is Processed'), await called('raise', 'J', 'S'))).toBe(
      'step is Processed',
    )
  })
})
