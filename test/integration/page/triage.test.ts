import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../../src/page/api/routes.js'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { aPage, buying, hostile, type APage } from './a-page.js'
import { answerDialog, clickOn, closeDialog, control } from './controls.js'

const path = await anyBrowserPath()
let store: APage

beforeAll(async () => {
  store = await aPage()
  for (const jobId of ['T-1', 'T-2', 'T-3']) {
    await store.host.client.submit(buying, { jobId, isRefused: true, amount: 7 }, { jobId })
    await store.telemetry.waitFor('attention.raised', (event) => event.jobId === jobId)
  }
})
afterAll(() => store.close())

const triageOf = async (jobId: string) => (await (await store.host.client.get(jobId))?.view())?.triage

const problems = async (query = '') => {
  const { text } = await store.get(`/api/attention${query}`)
  routes.find((known) => known.path === '/api/attention')?.answer.parse(JSON.parse(text))
  return JSON.parse(text) as unknown
}

describe('the API of a triage', () => {
  it('writes a triage of several jobs after a dry run, filters by it, and removes it', async () => {
    const jobs = [{ jobId: 'T-1' }, { jobId: 'T-2' }, { jobId: `none ${hostile}` }]
    const body = { jobs, assign: 'ann', note: `asked ${hostile}`, snooze: '2h' }
    const dry = await store.post('/api/actions/triage', { ...body, dryRun: true })
    expect(JSON.parse(dry.text)).toMatchObject({ isDryRun: true, done: ['T-1', 'T-2'], refused: [{}] })
    expect(await triageOf('T-1')).toBeNull()
    expect((await store.post('/api/actions/triage', body)).status).toBe(200)
    expect(await triageOf('T-1')).toMatchObject({ assignee: 'ann', note: `asked ${hostile}`, by: 'ada' })
    expect(await problems()).toMatchObject({ groups: [{ jobIds: ['T-3'] }], snoozed: 2 })
    expect(await problems('?snoozed=true&assignee=ann')).toMatchObject({
      groups: [{ jobIds: ['T-2', 'T-1'], triaged: [{ assignee: 'ann' }, {}] }],
    })
    const selected = { filter: { workflow: 'buying' }, clear: 'all' }
    const cleared = await store.post('/api/actions/triage', selected)
    expect(JSON.parse(cleared.text)).toMatchObject({ done: ['T-2', 'T-1'], refused: [{ jobId: 'T-3' }] })
    expect(await problems()).toMatchObject({ groups: [{ triaged: [] }], snoozed: 0 })
    const job = JSON.parse((await store.get('/api/job?jobId=T-1')).text) as unknown
    expect(job).toMatchObject({ triage: null, audit: [{ command: 'triage' }, { command: 'triage' }] })
  })

  it('acts on exactly the jobs of a group by its filter, as one operation', async () => {
    const jobs = [{ jobId: 'T-1' }]
    await store.post('/api/actions/triage', { jobs, assign: 'ann', snooze: '2h' })
    type Found = { readonly groups: readonly { readonly filter: Record<string, string> }[] }
    const filtersOf = async (query = '') =>
      ((await problems(query)) as Found).groups.map(({ filter }) => filter)
    const [filter] = await filtersOf()
    expect(filter).toEqual({
      workflow: 'buying',
      step: 'pay',
      cause: expect.stringMatching(/^[\da-f]{12}$/) as string,
      notSnoozed: 'true',
    })
    const tried = async (body: object) =>
      JSON.parse((await store.post('/api/actions/cancel', { dryRun: true, ...body })).text) as unknown
    expect(await tried({ filter })).toMatchObject({ done: ['T-3', 'T-2'], refused: [] })
    const [hidden] = await filtersOf('?snoozed=true&assignee=ann')
    expect(hidden).toMatchObject({ assignee: 'ann', snoozed: 'true' })
    expect(await tried({ filter: hidden })).toMatchObject({ done: ['T-1'], refused: [] })
    expect(await tried({ filter: { ...filter, cause: '000000000000' } })).toMatchObject({ done: [] })
    expect(await tried({ filter: { cause: 'x' } })).toMatchObject({ error: expect.anything() as unknown })
    expect(await tried({ filter: { ...filter, snoozed: 'true' } })).toMatchObject({
      error: { message: 'snoozed and notSnoozed exclude each other: pass one of them' },
    })
    await store.post('/api/actions/triage', { filter, note: 'seen' })
    const operations = JSON.parse((await store.get('/api/operations')).text) as unknown[]
    expect(operations[0]).toMatchObject({ command: 'triage', filter, reached: 2, total: 2 })
    await store.post('/api/actions/triage', { filter: { workflow: 'buying' }, clear: 'all' })
  })

  it.each([
    [{}, 400],
    [{ snooze: 'soon' }, 400],
    [{ assign: 'ann', clear: 'assignee' }, 400],
    [{ note: 'n'.repeat(501) }, 400],
    [{ clear: 'note' }, 409],
  ])('refuses %j', async (parts, status) => {
    expect((await store.post('/api/actions/triage', { job: { jobId: 'T-3' }, ...parts })).status).toBe(status)
  })
})

describe.skipIf(path === null)('the triage of the inbox', () => {
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    browser = await Browser.open(path ?? '')
    page = await browser.visit(store.address())
    await page.until(`document.querySelector('header nav')`)
  })
  afterAll(() => browser.close())

  const main = `document.querySelector('main').textContent`

  it('assigns, notes and hides a group, shows it to its person and at the job, and ends it', async () => {
    await clickOn(page, 'Inbox')
    await clickOn(page, 'Triage all 3')
    await page.until(`document.querySelector('dialog[open]')`)
    expect(await page.evaluate(`document.querySelector('dialog .quiet').textContent`)).toBe('Change a part.')
    const tried = await answerDialog(page, { assign: 'ada', note: hostile })
    expect(tried).toContain('3 jobs would accept this')
    await page.until(control('Triage 3 jobs'))
    await page.until(`!document.querySelector('dialog button.primary').disabled`)
    await clickOn(page, 'Triage 3 jobs')
    await page.until(`document.querySelector('.result')?.textContent.includes('3 jobs accepted this.')`)
    expect(await page.evaluate(`document.querySelector('dialog .command code').textContent`)).toContain(
      'stepward triage --workflow buying --step pay --cause ',
    )
    await closeDialog(page)
    await page.until(`document.querySelector('.triaged')?.textContent.includes('ada looks after it')`)
    expect(await page.evaluate(`document.querySelector('.triaged q').textContent`)).toBe(hostile)
    expect(await triageOf('T-2')).toMatchObject({ assignee: 'ada', by: 'ada' })

    await clickOn(page, 'Mine')
    await page.until(`location.search === '?problems=mine' && ${main}.includes('ada looks after it')`)
    await clickOn(page, 'T-1')
    await page.until(`location.pathname === '/job' && ${main}.includes('ada looks after it')`)
    await clickOn(page, 'Triage')
    await page.until(`document.querySelector('dialog [name="assign"]')?.value === 'ada'`)
    await answerDialog(page, { snooze: '2h' })
    await closeDialog(page)
    await page.until(`document.querySelector('.told .badge')?.textContent.startsWith('hidden until')`)

    await clickOn(page, 'Inbox')
    await page.until(control('Snoozed (1)'))
    expect(await page.evaluate(main)).not.toContain('T-1')
    await clickOn(page, 'Snoozed (1)')
    await page.until(`${main}.includes('T-1') && !${main}.includes('T-2')`)
    for (const width of [320, 1280]) {
      await page.look({ width, height: 900, isDark: false })
      expect(await page.evaluate(`document.documentElement.scrollWidth`)).toBeLessThanOrEqual(width)
    }
    // The end of a snooze is hours away, so the test keeps the timers that are far away, and ends them itself.
    await page.evaluate(`(() => {
      const start = window.setTimeout
      window.late = []
      window.setTimeout = (run, ms, ...more) => ms > 6e6 ? window.late.push(run) : start(run, ms, ...more)
    })()`)
    const reads = `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/attention')).length`
    for (const view of ['Inbox', 'Now', 'Snoozed (1)']) {
      if (view === 'Snoozed (1)') {
        await clickOn(page, 'Inbox')
        await page.until(control(view))
      }
      await page.evaluate(`window.late = []`)
      await clickOn(page, view)
      await page.until(`window.late.length > 0`)
      const before = await page.evaluate<number>(reads)
      await page.evaluate(`window.late.at(-1)()`)
      await page.until(`${reads} > ${before}`)
    }
    await clickOn(page, 'Change')
    await answerDialog(page, { clear: 'all' })
    await closeDialog(page)
    await page.until(`${main}.includes('Nothing is hidden.')`)
    expect(await triageOf('T-1')).toBeNull()
    expect(page.complaints).toEqual([])
  })
})
