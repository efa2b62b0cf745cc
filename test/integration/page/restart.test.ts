import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../../src/page/api/routes.js'
import { commandOf } from '../../../src/page/browser/state/commands.js'
import { defineWorkflow } from '../../../src/sas/index.js'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { aPage, bank, buying, hostile, type APage } from './a-page.js'
import { answerDialog, clickOn, closeDialog, control, typeInto } from './controls.js'

const path = await anyBrowserPath()
let page: APage

/** An older definition of the workflow that the module of the page has. */
const older = defineWorkflow('buying', (job) => {
  const check = job.step('check', bank.pay, { isRefused: false, amount: 1 })
  const pay = job.step('pay', bank.pay, { isRefused: true, amount: 2 }, { after: [check] })
  job.waitFor('delivery', { after: [pay], completeWithin: '5d' })
})

/** A newer one, as a deployment has submitted it after the start of the page. */
const newer = defineWorkflow(
  'buying',
  (job) => {
    const check = job.step('check', bank.pay, { isRefused: false, amount: 1 })
    const pay = job.step('pay', bank.pay, { isRefused: true, amount: 2 }, { after: [check] })
    job.waitFor('delivery', { after: [pay], completeWithin: '9d' })
  },
  { version: 2 },
)

/** A workflow whose card number is a secret. */
const guarded = defineWorkflow<{ readonly card: string; readonly amount: number }>(
  'guarded',
  (job) => {
    const { card, amount } = job.input
    job.step('pay', bank.pay, { isRefused: true, amount, card } as never, { undo: 'none' })
  },
  { secrets: ['input.card'] },
)

const bad = `bad ${hostile}`

beforeAll(async () => {
  page = await aPage()
  const { client } = page.host
  await client.submit(guarded, { card: '4111-0001', amount: 3 }, { jobId: 'guarded' })
  await page.telemetry.waitFor('attention.raised', (event) => event.jobId === 'guarded')
  for (const jobId of ['bad', bad, 'offered', 'retried']) {
    await client.submit(buying, { jobId, isRefused: true, amount: 7 }, { jobId })
    await page.telemetry.waitFor('attention.raised', (event) => event.jobId === jobId)
  }
  for (const jobId of ['old-1', 'old-2', 'old-3', 'new-1']) {
    await client.submit(jobId === 'new-1' ? newer : older, null, { jobId })
    await page.telemetry.waitFor('attention.raised', (event) => event.jobId === jobId)
  }
})
afterAll(() => page.close())

async function act(kind: string, body: object, expected = 200): Promise<unknown> {
  const { status, text } = await page.post(`/api/actions/${kind}`, { why: 'corrected', ...body })
  expect(status, text).toBe(expected)
  const read: unknown = JSON.parse(text)
  if (expected !== 200) return read
  return routes.find(({ path: one }) => one === `/api/actions/${kind}`)?.answer.parse(read)
}

async function job(jobId: string): Promise<unknown> {
  const { text } = await page.get(`/api/job?${new URLSearchParams({ jobId }).toString()}`)
  return routes.find(({ path: one }) => one === '/api/job')?.answer.parse(JSON.parse(text))
}

it('the page restarts a job from a step with another input, after a dry run, and names the new job', async () => {
  const input = { jobId: 'bad', isRefused: false, amount: 8 }
  const body = { job: { jobId: 'bad' }, from: 'pay', after: 'keep', input }
  const steps = { carried: ['check'], again: ['pay', 'delivery'], undone: [], kept: [], repeated: [] }
  const restarted = { jobId: 'bad.r1', partitionKey: 'bad', from: 'pay', ...steps, isNew: true }
  const report = { isDryRun: true, done: ['bad'], refused: [], restarted }
  expect(await act('restart', { ...body, dryRun: true })).toEqual(report)
  expect(await job('bad')).toMatchObject({ state: 'Error', restartedAs: null })
  expect(await act('restart', body)).toEqual({ ...report, isDryRun: false })
  expect(await job('bad')).toMatchObject({
    restartedAs: { jobId: 'bad.r1', from: 'pay' },
    audit: [{ command: 'restart', as: 'bad.r1', why: 'corrected' }],
  })
  expect(await job('bad.r1')).toMatchObject({ restartOf: { jobId: 'bad', from: 'pay' } })
  await act('restart', { job: { jobId: 'bad' }, from: 'other' }, 409)
  for (const part of [{ input: 1 }, { stepInput: 1 }, { as: 'other' }]) {
    await act('restart', { jobs: [{ jobId: 'bad' }], from: 'pay', ...part }, 400)
  }
})

it('the page gives a job the plan of its module, after a dry run, and refuses what it cannot', async () => {
  const changed = expect.arrayContaining(['delivery']) as unknown
  const migrated = [{ jobIds: ['old-1'], changed, edit: { changes: expect.any(Array) as unknown } }]
  expect(await act('migrate', { job: { jobId: 'old-1' }, dryRun: true })).toMatchObject({ migrated })
  expect(await job('old-1')).toMatchObject({ audit: [] })
  expect(await act('migrate', { job: { jobId: 'old-1' } })).toMatchObject({ done: ['old-1'], migrated })
  expect(await job('old-1')).toMatchObject({ audit: [{ command: 'migrate', by: 'ada', why: 'corrected' }] })
  expect(await act('migrate', { jobs: [{ jobId: 'old-2' }, { jobId: 'none' }] })).toMatchObject({
    done: ['old-2'],
    refused: [{ jobId: 'none' }],
  })
  const reason =
    'job new-1 has version 2 of workflow buying, and the new definition is version 1: use the newer module, or allow an older version with "older"'
  expect(await act('migrate', { jobs: [{ jobId: 'new-1' }], dryRun: true })).toMatchObject({
    done: [],
    refused: [{ jobId: 'new-1', reason }],
  })
  expect(await act('migrate', { job: { jobId: 'new-1' } }, 409)).toMatchObject({ error: { message: reason } })
  expect(await job('new-1')).toMatchObject({ audit: [] })
  await act('migrate', { filter: { text: 'old' } }, 400)
  await act('migrate', { filter: { workflow: 'unknown' } }, 400)
})

it('the page shows the commands that restart and migrate a job', () => {
  const action = { kind: 'restart', jobId: 'bad', why: 'typo', input: '{}' } as const
  expect(commandOf({ ...action, fields: { from: 'pay', after: 'keep' } })).toBe(
    "printf %s '{}' > input.json && stepward restart --from pay --after keep --input input.json --why typo bad",
  )
  const more = { from: '', stepInput: '{ "a": 1 }', as: 'new job' }
  expect(commandOf({ kind: 'restart', jobId: 'bad', why: '', fields: more })).toBe(
    `printf %s '{"a":1}' > step-input.json && stepward restart --from STEP --step-input step-input.json --as 'new job' --why TEXT bad`,
  )
  expect(commandOf({ kind: 'migrate', filter: { workflow: 'buying' }, why: 'newer' })).toBe(
    'stepward migrate --workflow buying --module MODULE --why newer',
  )
})

describe.skipIf(path === null)('the dialogs of repairs', () => {
  let browser: Browser
  let view: Page

  beforeAll(async () => {
    browser = await Browser.open(path ?? '')
    view = await browser.visit(page.address())
    await view.until(`document.querySelector('header nav')`)
  })
  afterAll(() => browser.close())

  it('a job is restarted with an input of the step and an id, and its result leads to the new job', async () => {
    await view.begin(`${page.origin}/job?${new URLSearchParams({ jobId: bad }).toString()}`)
    await clickOn(view, 'Restart from a step')
    await view.until(`document.querySelector('dialog[open]')`)
    const isReady = `!document.querySelector('dialog button.primary').disabled`
    expect(await view.evaluate(isReady)).toBe(false)
    const offered = `[...document.querySelectorAll('dialog [name=from] option')].map(({ value }) => value)`
    expect(await view.evaluate(offered)).toEqual(['', 'check', 'pay', 'delivery'])
    const said = await answerDialog(view, {
      from: 'pay',
      after: 'keep',
      stepInput: '{"isRefused":false,"amount":9}',
      as: 'bad-2',
      why: `corrected ${hostile}`,
    })
    expect(said).toContain('1 job accepted this.')
    expect(said).toContain('The new job: bad-2')
    expect(said).toContain('carried over: check')
    // The view behind the dialog has the same link.
    await view.evaluate(`document.querySelector('dialog .result a').click()`)
    await view.until(`document.querySelector('h1')?.textContent === 'bad-2'`)
    expect(await view.evaluate(`document.querySelector('dialog[open]')`)).toBeNull()
    await page.telemetry.waitFor('step.settled', (event) => event.jobId === 'bad-2' && event.stepId === 'pay')
    const steps = [{ stepId: 'check' }, { stepId: 'pay', output: { paid: 9 } }, { stepId: 'delivery' }]
    expect(await job('bad-2')).toMatchObject({ restartOf: { jobId: bad }, steps })
    expect(view.complaints).toEqual([])
  })

  const value = (name: string): string => `document.querySelector('dialog [name=${name}]').value`
  const command = `document.querySelector('dialog .command code').textContent`
  const choose = (name: string, text: string): Promise<void> =>
    typeInto(view, `document.querySelector('dialog [name=${name}]')`, text)

  it('a restart offers the present inputs, and its decision has only what a person has changed', async () => {
    await view.begin(`${page.origin}/job?jobId=offered`)
    await clickOn(view, 'Restart from a step')
    await view.until(`document.querySelector('dialog[open]')`)
    const input = { jobId: 'offered', isRefused: true, amount: 7 }
    expect(JSON.parse(await view.evaluate<string>(value('input')))).toEqual(input)
    expect(await view.evaluate(value('stepInput'))).toBe('')
    await choose('from', 'delivery')
    await view.until(
      `document.querySelector('dialog form').textContent.includes('This step takes no input.')`,
    )
    await choose('from', 'pay')
    await view.until(`${value('stepInput')} !== ''`)
    expect(JSON.parse(await view.evaluate<string>(value('stepInput')))).toEqual({
      isRefused: true,
      amount: 7,
    })
    expect(await view.evaluate(command)).not.toContain('input')
    await choose('stepInput', '{"isRefused":false,"amount":7}')
    await view.until(`${command}.includes('step-input.json')`)
    expect(await view.evaluate(command)).not.toContain(' --input ')
    // Another step has another input.
    await choose('from', 'check')
    await view.until(`${value('stepInput')}.includes('false')`)
    expect(JSON.parse(await view.evaluate<string>(value('stepInput')))).toEqual({
      isRefused: false,
      amount: 1,
    })
    await clickOn(view, 'Dry run')
    await view.until(
      `document.querySelector('.result')?.textContent.includes('runs again although it succeeded: check')`,
    )
    await choose('from', 'pay')
    await view.until(`${value('stepInput')}.includes('true')`)
    // The dialog is longer than the window, and shows the result and the buttons nevertheless.
    await view.look({ width: 800, height: 480, isDark: false })
    await clickOn(view, 'Dry run')
    await view.until(`document.querySelector('.result')`)
    const [end, top, bottom] = await view.evaluate<[number, number, number]>(`(() => {
      const place = (selector) => document.querySelector(selector).getBoundingClientRect()
      return [place('.result').bottom, place('dialog .buttons').top, place('dialog .buttons').bottom]
    })()`)
    expect(end).toBeLessThanOrEqual(top)
    expect(bottom).toBeLessThanOrEqual(480)
    await view.look({ width: 1280, height: 1080, isDark: false })
    const said = await answerDialog(view, {
      stepInput: '{"isRefused":false,"amount":7}',
      why: 'another card',
    })
    expect(said).toContain('The new job: offered.r1')
    const change = { stepId: 'pay', path: 'input.isRefused', before: 'true', after: 'false' }
    expect(await job('offered')).toMatchObject({ audit: [{ edit: { changes: [change], others: 0 } }] })
    await closeDialog(view)
    expect(view.complaints).toEqual([])
  })

  it('the jobs of a restart lead to each other, and the older one offers no action that it would refuse', async () => {
    await view.begin(`${page.origin}/job?jobId=offered`)
    await clickOn(view, 'offered.r1')
    await view.until(`document.querySelector('h1')?.textContent === 'offered.r1'`)
    await clickOn(view, 'offered')
    await view.until(
      `document.querySelector('h1')?.textContent === 'offered' && document.querySelector('.timeline')`,
    )
    expect(await view.evaluate(`${control('Resubmit')} === undefined`)).toBe(true)
    const titles = await view.evaluate<string[]>(
      `[...document.querySelectorAll('.panel h2')].map((one) => one.textContent)`,
    )
    expect(titles).toContain('Timeline')
    expect(titles).not.toContain('Undo')
    expect(view.complaints).toEqual([])
  })

  it('a resubmission of one step offers its input, and an unchanged input is not sent', async () => {
    await view.begin(`${page.origin}/job?jobId=retried`)
    await clickOn(view, 'Resubmit')
    await view.until(`document.querySelector('dialog[open]')`)
    await view.evaluate(`(() => {
      const field = document.querySelector('dialog [name=step]')
      field.value = 'pay'
      field.dispatchEvent(new Event('change', { bubbles: true }))
    })()`)
    await view.until(`document.querySelector('dialog [name=input]')`)
    expect(JSON.parse(await view.evaluate<string>(value('input')))).toEqual({ isRefused: true, amount: 7 })
    await answerDialog(view, { input: '{ "amount": 7, "isRefused": true }', why: 'the card is valid now' })
    await closeDialog(view)
    const { audit } = (await job('retried')) as { readonly audit: readonly object[] }
    expect(audit).toMatchObject([{ command: 'resubmit', stepId: 'pay' }])
    expect(audit[0]).not.toHaveProperty('edit')
    expect(view.complaints).toEqual([])
  })

  it('a restart keeps an input with secrets, which the dialog does not have', async () => {
    await view.begin(`${page.origin}/job?jobId=guarded`)
    await clickOn(view, 'Restart from a step')
    await view.until(`document.querySelector('dialog[open]')`)
    expect(await view.evaluate(value('input'))).toBe('')
    expect(await view.evaluate(`document.querySelector('dialog form').textContent`)).toContain(
      'The present input has secret values, which are not sent to the page. An empty field keeps the present input.',
    )
    const said = await answerDialog(view, { from: 'pay', why: 'try again' })
    expect(said).toContain('The new job: guarded.r1')
    await closeDialog(view)
    const next = await (await page.host.client.get('guarded.r1'))?.view()
    expect(next?.input).toEqual({ card: '4111-0001', amount: 3 })
    const { audit } = (await job('guarded')) as { readonly audit: readonly object[] }
    expect(audit[0]).not.toHaveProperty('edit')
    expect(view.complaints).toEqual([])
  })

  it('a job gets the newer plan, and the dialog says what changes', async () => {
    await view.begin(`${page.origin}/job?jobId=old-3`)
    await clickOn(view, 'Migrate')
    expect(await answerDialog(view, { why: 'shorter' })).toMatch(/changed: .*delivery.*completeWithin/u)
    await closeDialog(view)
    await view.until(control('Cancel'))
    expect(await job('old-3')).toMatchObject({ audit: [{ command: 'migrate', why: 'shorter' }] })
    expect(view.complaints).toEqual([])
  })
})
