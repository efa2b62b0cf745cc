import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  backfillSchedule,
  decideSchedule,
  schedules,
  setSchedules,
  showSchedule,
  triggerSchedule,
} from '../../../src/cli/commands/jobs/schedules.js'
import { exitCodeOf } from '../../../src/cli/output/cli-error.js'
import type { Terminal } from '../../../src/cli/output/terminal.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { connect } from '../../../src/index.js'

const workflows = fileURLToPath(new URL('./nightly-schedule.ts', import.meta.url))

let emulator: Emulator
let store: { readonly endpoint: string; readonly key: string }
const printed: string[] = []
const terminal: Terminal = {
  print: (text) => void printed.push(text),
  note: (text) => void printed.push(text),
  progress: () => undefined,
  progressDone: () => undefined,
  isInteractive: false,
  width: 80,
  tableWidth: 120,
  confirm: () => Promise.resolve(false),
  height: 24,
}

beforeAll(async () => {
  emulator = await startEmulator({ port: 0 })
  store = { endpoint: emulator.endpoint, key: emulator.key }
  const client = await connect(store)
  client.close()
  await setSchedules('nightly', { ...store, workflows }, terminal)
})

afterAll(async () => {
  await emulator.close()
})

beforeEach(() => {
  printed.length = 0
})

async function expectRefused(run: Promise<number>, code: number, says: RegExp): Promise<void> {
  const error = await run.then(
    () => null,
    (refusal: unknown) => refusal,
  )
  expect(exitCodeOf(error)).toBe(code)
  expect(String(error)).toMatch(says)
}

/** Returns the JSON that the command printed. */
async function jsonOf(run: Promise<number>): Promise<unknown> {
  expect(await run).toBe(0)
  return JSON.parse(printed.join('')) as unknown
}

it('a schedule that is set again is unchanged', async () => {
  const results = await jsonOf(setSchedules(undefined, { ...store, workflows, json: true }, terminal))
  expect(results).toMatchObject([{ change: 'unchanged', schedule: { id: 'nightly', cron: '30 2 * * *' } }])
})

it('schedules are listed', async () => {
  expect(await schedules(store, terminal)).toBe(0)
  expect(printed.join('')).toMatch(/nightly +shopping +30 2 \* \* \* \(Europe\/Berlin\)/)
})

it('a schedule is shown', async () => {
  expect(await showSchedule('nightly', store, terminal)).toBe(0)
  expect(printed.join('')).toMatch(/overlap skip, catch up 90m, jitter 0ms\nnext tick: 20/)
})

it('a schedule is paused with a reason, and resumed', async () => {
  await decideSchedule('pause', 'nightly', { ...store, by: 'ann', why: 'the bank is down' }, terminal)
  await showSchedule('nightly', store, terminal)
  expect(printed.join('\n')).toMatch(/paused since .* by ann: the bank is down/)
  printed.length = 0
  printed.length = 0
  expect(await decideSchedule('pause', 'nightly', { ...store, why: 'again' }, terminal)).toBe(0)
  expect(printed.join()).toMatch(/^schedule nightly was already paused by ann at \S+Z: the bank is down;/)
  printed.length = 0
  const resumed = await jsonOf(decideSchedule('resume', 'nightly', { ...store, json: true }, terminal))
  expect(resumed).toMatchObject({ command: 'resume', id: 'nightly', schedule: { paused: null } })
  printed.length = 0
  expect(await decideSchedule('resume', 'nightly', store, terminal)).toBe(0)
  expect(printed.join()).toMatch(/^schedule nightly is not paused; next tick/)
})

it('a schedule is triggered, and its ticks are backfilled', async () => {
  expect(await jsonOf(triggerSchedule('nightly', { ...store, json: true }, terminal))).toEqual({
    jobId: expect.stringMatching(/^nightly@\d{8}T\d{6}(\.\d+)?Z\.manual$/) as string,
  })
  printed.length = 0
  await triggerSchedule('nightly', { ...store, by: 'ann', why: 'the data are late' }, terminal)
  expect(printed.join('\n')).toMatch(/^job nightly@\S+\.manual submitted$/)
  printed.length = 0
  expect(await jsonOf(showSchedule('nightly', { ...store, json: true }, terminal))).toMatchObject({
    audit: [{}, {}, {}, { command: 'trigger', by: 'ann', why: 'the data are late' }],
  })
  printed.length = 0
  const times = { from: '2026-03-28T12:00Z', to: '2026-03-30T12:00Z' }
  expect(await backfillSchedule('nightly', { ...store, ...times }, terminal)).toBe(0)
  expect(printed.join('\n')).toBe('2 ticks submitted\n  nightly@20260329T010000Z nightly@20260330T003000Z')
  printed.length = 0
  const again = await jsonOf(backfillSchedule('nightly', { ...store, ...times, json: true }, terminal))
  expect(again).toMatchObject({ isDryRun: false, submitted: [], existing: { length: 2 } })
  printed.length = 0
  await showSchedule('nightly', store, terminal)
  expect(printed.join('\n')).toContain(', besides the jobs that operators submitted\nnewest decisions:\n')
  expect(printed.join('\n')).toMatch(/^ {2}\S+Z trigger by ann: the data are late$/m)
  expect(printed.join('\n')).toMatch(
    /^ {2}\S+Z backfill by .*: 2 ticks, 20260328T120000Z to 20260330T120000Z: /m,
  )
})

it('a schedule is created and changed by options, and the parts without an option stay', async () => {
  const options = { ...store, workflows, json: true, by: 'ann' }
  const created = { ...options, workflow: 'shopping', every: '2h', overlap: 'allow', why: 'a new shop' }
  expect(await jsonOf(setSchedules('hourly', { ...created, dryRun: true }, terminal))).toMatchObject({
    isDryRun: true,
    change: 'created',
  })
  await expectRefused(showSchedule('hourly', store, terminal), 3, /there is no schedule/)
  expect(await setSchedules('hourly', created, terminal)).toBe(0)
  printed.length = 0
  const changed = { ...store, by: 'bob', cron: '0 8 * * *', timeZone: 'Europe/Paris', why: 'in the morning' }
  expect(await setSchedules('hourly', changed, terminal)).toBe(0)
  expect(printed.join('')).toMatch(/^schedule hourly updated; next tick 20/)
  printed.length = 0
  expect(await jsonOf(showSchedule('hourly', { ...store, json: true }, terminal))).toMatchObject({
    ...{ workflow: 'shopping', cron: '0 8 * * *', everyMs: null, overlap: 'allow' },
    audit: [
      { command: 'set', by: 'ann', why: 'a new shop' },
      { command: 'set', by: 'bob', why: 'in the morning' },
    ],
  })
  printed.length = 0
  expect(await setSchedules('hourly', changed, terminal)).toBe(0)
  expect(printed.join('')).toMatch(/^schedule hourly unchanged/)
  await decideSchedule('delete', 'hourly', { ...store, yes: true }, terminal)
})

it.each([
  [{ timeZone: 'Mars/Base' }, /timeZone is "Mars\/Base"; it must be a name/],
  [{ catchUp: '1m' }, /catchUp is "1m"; it must be a duration from 120000 ms/],
  [{ overlap: 'perhaps' }, /overlap is "perhaps"; it must be "skip", "queue"/],
  [{ workflow: 'weaving' }, /unknown workflow "weaving": .* has shopping/],
  [{ why: 'x' }, /--why needs a part to change, such as --cron/],
])('the part %j of a schedule is refused', async (part, says) => {
  await expectRefused(setSchedules('nightly', { ...store, workflows, ...part }, terminal), 2, says)
})

it('wrong input and unknown ids are refused', async () => {
  await expectRefused(showSchedule('weekly', store, terminal), 3, /there is no schedule "weekly"/)
  await expectRefused(decideSchedule('pause', 'weekly', store, terminal), 3, /there is no schedule "weekly"/)
  await expectRefused(triggerSchedule('weekly', store, terminal), 3, /there is no schedule "weekly"/)
  const unknown = setSchedules('weekly', { ...store, workflows }, terminal)
  await expectRefused(unknown, 2, /unknown schedule "weekly": .* has nightly/)
  const wrong = { ...store, from: 'noon', to: '1h' }
  await expectRefused(backfillSchedule('nightly', wrong, terminal), 2, /--from "noon" must be an age/)
  const late = { ...store, from: '2h', to: '2999-01-01' }
  await expectRefused(
    backfillSchedule('nightly', late, terminal),
    2,
    /to is "2999-01-01T00:00:00.000Z"; it must not be in the future/,
  )
})

it('a deleted schedule is gone', async () => {
  await expectRefused(decideSchedule('delete', 'nightly', store, terminal), 2, /pass --yes to confirm/)
  const asked = { ...terminal, isInteractive: true }
  await expectRefused(decideSchedule('delete', 'nightly', store, asked), 2, /you did not confirm/)
  expect(await showSchedule('nightly', store, terminal)).toBe(0)
  const confirmed = { ...store, why: 'over', yes: true }
  expect(await decideSchedule('delete', 'nightly', confirmed, terminal)).toBe(0)
  await expectRefused(showSchedule('nightly', store, terminal), 3, /there is no schedule/)
  printed.length = 0
  await schedules(store, terminal)
  expect(printed).toEqual(['there is no schedule'])
})
