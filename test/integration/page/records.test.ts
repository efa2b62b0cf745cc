import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../../src/page/api/routes.js'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { aPage, buying, hostile, type APage } from './a-page.js'
import { clickOn, closeDialog, control, typeInto } from './controls.js'

const path = await anyBrowserPath()
let store: APage

beforeAll(async () => {
  store = await aPage()
  for (let count = 0; count < 30; count += 1) {
    const jobId = `order-${count}`
    await store.host.client.submit(buying, { jobId, isRefused: false, amount: 7 }, { jobId })
  }
})
afterAll(() => store.close())

interface Operation {
  readonly id: string
  readonly state: string
  readonly reached: number
  readonly total: number | null
}

async function read<T>(path: string): Promise<T> {
  const { status, text } = await store.get(path)
  expect(status, text).toBe(200)
  const route = routes.find((known) => known.path === path.split('?')[0])
  return route?.answer.parse(JSON.parse(text)) as T
}

async function act(action: string, body: object, expected = 200): Promise<unknown> {
  const { status, text } = await store.post(`/api/${action}`, body)
  expect(status, text).toBe(expected)
  return JSON.parse(text) as unknown
}

describe('the audit', () => {
  it('lists the decisions about jobs, schedules and limits by their newest decision, page by page', async () => {
    // The page of these tests begins with a limit that an operator has set.
    const before = await read<{ rows: { command: string }[] }>('/api/audit')
    expect(before.rows.map(({ command }) => command)).toEqual(['set atOnce 3, perSecond 20'])
    for (const jobId of ['order-1', 'order-2', 'order-3']) {
      await act('actions/cancel', { job: { jobId }, why: `no ${hostile}` })
    }
    await act('actions/schedule/pause', { schedule: 'counting', why: 'stocktaking' })
    await act('actions/limit/clear', { key: 'bank' })
    const { rows, next } = await read<{ rows: { id: string }[]; next: string | null }>('/api/audit')
    expect(next).toBeNull()
    expect(rows.map(({ id }) => id)).toEqual(['bank', 'counting', 'order-3', 'order-2', 'order-1', 'bank'])
    expect(rows[0]).toMatchObject({ about: 'limit', command: 'clear', by: 'ada' })
    expect(rows[2]).toMatchObject({ about: 'job', command: 'cancel', by: 'ada', why: `no ${hostile}` })
    const seen: string[] = []
    for (let before = ''; ;) {
      const page = await read<{ rows: { id: string }[]; next: string | null }>(`/api/audit?limit=1${before}`)
      seen.push(...page.rows.map(({ id }) => id))
      if (page.next === null) break
      before = `&before=${encodeURIComponent(page.next)}`
    }
    // A page has all decisions about what it names.
    expect(seen).toEqual(['bank', 'bank', 'counting', 'order-3', 'order-2', 'order-1'])
    expect((await store.get('/api/audit?before=x')).status).toBe(400)
  })
})

describe('operations', () => {
  it('an action on many jobs is listed with its progress and its end', async () => {
    const operation = randomUUID()
    const jobs = [{ jobId: 'order-4' }, { jobId: 'none' }]
    await act('actions/cancel', { jobs, why: 'two', operation })
    // The reason may name a secret of a job, so the list does not have it.
    expect(JSON.stringify(await read('/api/operations'))).not.toContain('two')
    expect(await read('/api/operations')).toMatchObject([
      { id: operation, command: 'cancel', by: 'ada', state: 'done', reached: 2, total: 2, refused: 1 },
    ])
    await act('actions/cancel', { jobs, why: 'again', operation }, 400)
    await act('actions/cancel', { jobs, why: 'tried', dryRun: true })
    expect(await read<Operation[]>('/api/operations')).toHaveLength(1)
  })

  it('a stopped operation begins on no more jobs', async () => {
    const operation = randomUUID()
    const jobs = Array.from({ length: 500 }, (_, index) => ({ jobId: `absent-${index}` }))
    const running = act('actions/cancel', { jobs, why: 'many', operation })
    const isRunning = async (): Promise<boolean> =>
      (await read<Operation[]>('/api/operations')).some(({ id, reached }) => id === operation && reached > 0)
    while (!(await isRunning()));
    expect(await act('operations/stop', { id: operation })).toMatchObject({ done: [operation] })
    await running
    const [newest] = await read<Operation[]>('/api/operations')
    expect(newest).toMatchObject({ id: operation, state: 'stopped' })
    expect(newest?.reached).toBeLessThan(500)
    expect(await act('operations/stop', { id: operation })).toMatchObject({ done: [] })
  })
})

it('a stopped dry run tries no more jobs, and says so', async () => {
  const operation = randomUUID()
  const jobs = Array.from({ length: 500 }, (_, index) => ({ jobId: `absent-${index}` }))
  const before = await read<Operation[]>('/api/operations')
  const running = store.post('/api/actions/cancel', { jobs, operation, dryRun: true })
  const isStopped = async (): Promise<boolean> => {
    const { done } = (await act('operations/stop', { id: operation })) as { readonly done: string[] }
    return done.length > 0
  }
  while (!(await isStopped()));
  const report = JSON.parse((await running).text) as {
    readonly isStopped?: boolean
    readonly refused: object[]
  }
  expect(report.isStopped).toBe(true)
  expect(report.refused.length).toBeLessThan(500)
  expect(await read('/api/operations')).toEqual(before)
  const whole = await act('actions/cancel', { jobs: jobs.slice(0, 2), operation, dryRun: true })
  expect(whole).not.toHaveProperty('isStopped')
})

describe.skipIf(path === null)('the views of what was done', () => {
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    browser = await Browser.open(path ?? '')
    page = await browser.visit(store.address())
    await page.until(`document.querySelector('header nav')`)
  })
  afterAll(() => browser.close())

  it('an action on all that match is followed in the dialog, and listed under Operations', async () => {
    await page.begin(`${store.origin}/jobs?workflow=buying`)
    await clickOn(page, 'Cancel')
    await page.until(`document.querySelector('dialog[open]')`)
    // The reason and Enter only try, because a filter does not say how many jobs it means.
    await typeInto(page, `document.querySelector('dialog [name="why"]')`, 'all of them')
    await page.evaluate(`document.querySelector('dialog [name="why"]').focus()`)
    await page.press('Enter')
    const tried = await page.until<string>(`document.querySelector('.result')?.textContent`)
    const [, count] = /^\s*(\d+) jobs would accept this; nothing was written/.exec(tried) ?? []
    const acts = `document.querySelector('dialog button.primary')`
    expect(await page.evaluate(`${acts}.textContent`)).toBe(`Cancel ${count ?? ''} jobs`)
    // A second click or Enter of the same gesture must not act.
    expect(await page.evaluate(`${acts}.disabled`)).toBe(true)
    await page.until(`!${acts}.disabled`)
    // Jobs that came after the dry run are not cancelled with the others.
    await store.host.client.submit(buying, { jobId: 'late', isRefused: false, amount: 7 }, { jobId: 'late' })
    await page.evaluate(`${acts}.click()`)
    await page.until(
      `document.querySelector('dialog .problem')?.textContent.includes('jobs match now, not ${count ?? ''}: nothing was written')`,
    )
    expect((await (await store.host.client.get('late'))?.view())?.audit).toEqual([])
    await store.host.client.cancel('late', 'not wanted')
    await page.evaluate(`${acts}.click()`)
    await page.until(`document.querySelector('.result') && !${acts}.disabled`)
    await page.evaluate(`${acts}.click()`)
    await page.until(`/^\\s*\\d+ jobs accepted this/.test(document.querySelector('.result')?.textContent)`)
    expect(await page.evaluate(`${acts}.textContent`)).toBe('Close')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Close')
    expect(await page.evaluate(`document.querySelector('dialog [name="why"]')`)).toBe(null)
    await closeDialog(page)
    await clickOn(page, 'Operations')
    const card = await page.until<string>(`document.querySelector('.operation')?.textContent`)
    expect(card).toMatch(/done cancel.*by ada, on every job that matches: workflow buying/s)
    expect(page.complaints.every((text) => text.includes('/api/actions/cancel'))).toBe(true)
  })

  it('Stop ends a dry run on all that match, and another must follow before the action', async () => {
    await page.begin(`${store.origin}/jobs?workflow=buying`)
    await clickOn(page, 'Cancel')
    await page.until(`document.querySelector('dialog[open]')`)
    // The dry run ends when it is stopped, and not before.
    await page.evaluate(`(() => {
      const real = window.fetch
      window.sent = []
      let stopped
      const isStopped = new Promise((resolve) => (stopped = resolve))
      window.fetch = async (path, init) => {
        if (!String(path).startsWith('/api/actions/cancel') && path !== '/api/operations/stop') return real(path, init)
        window.sent.push(JSON.parse(init.body))
        const report = { isDryRun: true, done: ['order-1'], refused: [], isStopped: true }
        if (path === '/api/operations/stop') stopped()
        else await isStopped
        return new Response(JSON.stringify(report), { headers: { 'content-type': 'application/json' } })
      }
      window.original = () => (window.fetch = real)
    })()`)
    await clickOn(page, 'Dry run')
    await clickOn(page, 'Stop')
    expect(await page.until(`document.querySelector('.result p')?.textContent.trim()`)).toBe(
      'Stopped before all jobs were tried. 1 job would accept this; nothing was written.',
    )
    const [tried, stop] = await page.evaluate<{ operation: string; id: string }[]>(`window.sent`)
    expect(stop?.id).toBe(tried?.operation)
    expect(await page.evaluate(`document.querySelector('dialog button.primary').textContent`)).toBe('Dry run')
    await page.evaluate(`window.original()`)
    await closeDialog(page)
  })

  it('an action on one job has no Stop, because Stop could not end it', async () => {
    await store.host.client.submit(buying, { jobId: 'one', isRefused: false, amount: 7 }, { jobId: 'one' })
    await page.begin(`${store.origin}/job?jobId=one`)
    await page.evaluate(`(() => {
      const real = window.fetch
      window.fetch = (path, init) =>
        String(path).startsWith('/api/actions/') ? new Promise((resolve) => (window.answer = () => resolve(real(path, init)))) : real(path, init)
    })()`)
    await clickOn(page, 'Cancel')
    await clickOn(page, 'Dry run')
    await page.until(`window.answer !== undefined`)
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('dialog .buttons button')].map((one) => one.textContent)`,
      ),
    ).toEqual(['Close'])
    await page.evaluate(`window.answer()`)
    await page.until(`document.querySelector('.result')`)
    await closeDialog(page)
  })

  it('Audit shows who decided what and why, as text, and finds decisions', async () => {
    await clickOn(page, 'Audit')
    await page.until(`document.querySelectorAll('.decisions tbody tr').length > 20`)
    expect(
      await page.evaluate(`document.querySelector('.decisions').textContent.includes('<img src=x')`),
    ).toBe(true)
    expect(await page.evaluate(`document.querySelectorAll('main img').length`)).toBe(0)
    await page.evaluate(`(() => {
      const field = document.querySelector('input[type=search]')
      field.value = 'stocktaking'
      field.dispatchEvent(new Event('input', { bubbles: true }))
    })()`)
    await page.until(`document.querySelectorAll('.decisions tbody tr').length === 1`)
    await clickOn(page, 'counting')
    await page.until(`location.pathname === '/schedules' && ${control('Resume')}`)
    expect(page.complaints.every((text) => text.includes('/api/actions/cancel'))).toBe(true)
  })
})
