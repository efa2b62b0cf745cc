import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { aPage, buying, hostile, type APage } from './a-page.js'
import { answerDialog, clickOn, closeDialog, control } from './controls.js'

const path = await anyBrowserPath()
const pictures = process.env['PAGE_PICTURES']
const ids = ['P-1', 'P-2', 'P-3', 'P-4']
let store: APage

beforeAll(async () => {
  store = await aPage()
  for (const jobId of ids) {
    await store.host.client.submit(buying, { jobId, isRefused: jobId === 'P-4', amount: 7 }, { jobId })
    await store.telemetry.waitFor('step.settled', (event) => event.jobId === jobId && event.stepId === 'pay')
  }
  await store.telemetry.waitFor('attention.raised', (event) => event.jobId === 'P-4')
})
afterAll(() => store.close())

const pauseOf = async (jobId: string) => (await (await store.host.client.get(jobId))?.view())?.paused

const pausesOf = async () => JSON.parse((await store.get('/api/pauses')).text) as unknown

describe('the API of pauses', () => {
  it.each([
    ['workflow', 'reminding'],
    ['agent', 'printer'],
    ['key', 'bank'],
  ])('pauses the %s %s, lists it with who, when and why, and resumes it', async (kind, name) => {
    const target = { kind, name }
    const why = `stock-taking ${hostile}`
    const dry = await store.post('/api/actions/pause', { target, why, dryRun: true })
    expect(JSON.parse(dry.text)).toEqual({
      isDryRun: true,
      done: [name],
      refused: [],
      warnings: expect.anything() as unknown,
    })
    expect(await pausesOf()).toMatchObject({ paused: [] })
    const untimely = { target, why, dryRun: true }
    expect((await store.post('/api/actions/resume', untimely)).status, 'nothing is paused').toBe(409)
    expect((await store.post('/api/actions/pause', { target, why })).status).toBe(200)
    expect((await store.post('/api/actions/pause', untimely)).status, 'it is paused').toBe(409)
    expect((await store.post('/api/actions/resume', untimely)).status).toBe(200)
    const since = expect.stringMatching(/^20/) as unknown
    expect(await pausesOf()).toEqual({
      paused: [{ kind, name, since, by: 'ada', why }],
      jobs: [],
      isCut: false,
    })
    expect((await store.post('/api/actions/resume', { target, why: 'counted' })).status).toBe(200)
    expect(await pausesOf()).toMatchObject({ paused: [] })
  })

  it('refuses a target with jobs, one without a name, and one of another kind', async () => {
    const target = { kind: 'workflow', name: 'buying' }
    for (const body of [
      { target, job: { jobId: 'P-1' } },
      { target: { kind: 'agent', name: '' } },
      { target: { kind: 'job', name: 'P-1' } },
    ]) {
      expect((await store.post('/api/actions/pause', { ...body, why: 'w' })).status).toBe(400)
    }
    expect((await store.post('/api/actions/resume', { target })).status).toBe(409)
    expect(await pausesOf()).toMatchObject({ paused: [], jobs: [] })
  })

  it('pauses the jobs that are under way, lists those that refuse, and resumes', async () => {
    const jobs = ['P-1', 'P-4', 'none'].map((jobId) => ({ jobId }))
    const dry = await store.post('/api/actions/pause', { jobs, why: 'w', dryRun: true })
    expect(JSON.parse(dry.text)).toMatchObject({ isDryRun: true, done: ['P-1'] })
    expect(await pauseOf('P-1')).toBeNull()
    const paused = await store.post('/api/actions/pause', { jobs, why: `the bank is down ${hostile}` })
    expect(JSON.parse(paused.text)).toMatchObject({
      done: ['P-1'],
      refused: [
        { jobId: 'P-4', reason: expect.stringContaining('nothing to pause') as string },
        { jobId: 'none' },
      ],
    })
    expect(await pauseOf('P-1')).toMatchObject({ by: 'ada', why: `the bank is down ${hostile}` })
    const again = await store.post('/api/actions/pause', { job: { jobId: 'P-1' }, why: 'w' })
    expect(again.status).toBe(409)
    await store.post('/api/actions/resume', { job: { jobId: 'P-1' } })
    expect(await pauseOf('P-1')).toBeNull()
  })

  it.each([
    ['pause', { job: { jobId: 'P-1' } }],
    ['pause', { job: { jobId: 'P-1' }, why: ' ' }],
    ['pause', { filter: { workflow: 'buying' }, why: 'w' }],
    ['resume', { filter: {} }],
    ['resume', {}],
  ])('refuses %s %j, and pauses nothing', async (kind, body) => {
    expect((await store.post(`/api/actions/${kind}`, body)).status).toBe(400)
    expect(await pauseOf('P-1')).toBeNull()
  })
})

describe.skipIf(path === null)('pauses in a browser', () => {
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    browser = await Browser.open(path ?? '')
    page = await browser.visit(store.address())
    await page.until(`document.querySelector('header nav')`)
  })
  afterAll(() => browser.close())

  it('one job is paused with the reason, its view says so, and it is resumed', async () => {
    await page.begin(`${store.origin}/job?jobId=P-2`)
    await clickOn(page, 'Pause')
    await page.until(`document.querySelector('dialog[open]')`)
    expect(await page.evaluate(`document.querySelector('dialog button.primary').disabled`)).toBe(true)
    expect(await page.evaluate(`document.querySelector('dialog code').textContent`)).toContain(
      'stepward pause --why TEXT --by ada job P-2',
    )
    expect(await answerDialog(page, { why: `no stock ${hostile}` })).toContain('1 job accepted this.')
    await closeDialog(page)
    const why = await page.until<string>(
      `[document.querySelector('.why')?.textContent].find((text) => text?.includes('paused by ada'))`,
    )
    // A character that turns the direction of text around is shown as an escape.
    expect(why).toContain(`no stock ${hostile.replace('\u202e', '\\u202e')}`)
    await page.until(control('Resume'))
    expect(await page.evaluate(`${control('Pause')} === undefined`)).toBe(true)
    await clickOn(page, 'Resume')
    expect(await answerDialog(page, {})).toContain('1 job accepted this.')
    await closeDialog(page)
    await page.until(control('Pause'))
    expect(await pauseOf('P-2')).toBeNull()
    expect(page.complaints).toEqual([])
  })

  it('a job that has failed has no pause', async () => {
    await page.begin(`${store.origin}/job?jobId=P-4`)
    await page.until(control('Resubmit'))
    expect(await page.evaluate(`${control('Pause')} === undefined`)).toBe(true)
  })

  it('an agent is paused with its command, the view lists it with the jobs, and it is resumed', async () => {
    await clickOn(page, 'Pauses')
    await page.until(`document.querySelector('.empty')`)
    await clickOn(page, 'Pause a workflow, an agent or a key')
    await page.until(`document.querySelector('dialog[open]')`)
    const command = `document.querySelector('dialog code').textContent`
    expect(await page.evaluate(command)).toBe('stepward pause --why TEXT --by ada WHAT NAME')
    const said = await answerDialog(page, { what: 'agent', name: hostile, why: `slow ${hostile}` })
    expect(said).toContain('1 agent accepted this.')
    expect(await page.evaluate(command)).toContain(`agent '${hostile}'`)
    await closeDialog(page)
    await store.host.client.pause('P-1', 'checked', { by: 'ann' })
    await page.begin(`${store.origin}/`)
    const line = `[...document.querySelectorAll('main a[href="/pauses"]')].find((one) => one.textContent.startsWith('Paused'))`
    expect(await page.until<string>(`${line}?.textContent`)).toBe(`Paused: agent ${hostile}, 1 job`)
    await page.begin(`${store.origin}/pauses`)
    const rows = await page.until<string[]>(
      `[[...document.querySelectorAll('table.pauses tbody tr')].map((row) => row.textContent)].find((all) => all.length === 2)`,
    )
    expect(rows[0]).toContain(hostile)
    expect(rows[0]).toContain('ada')
    expect(rows[1]).toMatch(/P-1.*buying.*ann.*checked/u)
    await clickOn(page, 'Resume')
    expect(await answerDialog(page, {})).toContain('1 agent accepted this.')
    await closeDialog(page)
    await page.until(`document.querySelectorAll('table.pauses tbody tr').length === 1`)
    await clickOn(page, 'Resume')
    expect(await answerDialog(page, {})).toContain('1 job accepted this.')
    await closeDialog(page)
    await page.until(`document.querySelector('.empty')`)
    expect(await pauseOf('P-1')).toBeNull()
    expect(page.complaints).toEqual([])
  })

  it('ticked jobs are paused after a dry run; without ticks, no filter is enough', async () => {
    await page.begin(`${store.origin}/jobs?workflow=buying`)
    await page.until(control('P-3'))
    expect(await page.evaluate(`${control('Pause')}.disabled`)).toBe(true)
    expect(await page.evaluate(`${control('Cancel')}.disabled`)).toBe(false)
    for (const jobId of ['P-3', 'P-4']) {
      await page.evaluate(`document.querySelector('[aria-label="Choose ${jobId}"]').click()`)
    }
    await clickOn(page, 'Pause')
    expect(await answerDialog(page, { why: 'stock-taking' })).toContain('1 job accepted this, 1 refused')
    await closeDialog(page)
    await page.until(`${control('P-3')}?.closest('tr').textContent.includes('paused by ada: stock-taking')`)
    expect(await pauseOf('P-3')).toMatchObject({ by: 'ada', why: 'stock-taking' })
    expect(page.complaints).toEqual([])
  })

  it.skipIf(pictures === undefined)('has pictures of the list with its filters', async () => {
    await page.begin(`${store.origin}/jobs?text=P-`)
    await page.until(control('P-3'))
    await mkdir(pictures ?? '', { recursive: true })
    for (const width of [390, 1280, 1920]) {
      for (const isDark of [false, true]) {
        await page.look({ width, height: width < 500 ? 844 : 1080, isDark })
        const file = join(pictures ?? '', `jobs-paused-${width}-${isDark ? 'dark' : 'light'}.png`)
        await writeFile(file, await page.picture())
      }
    }
  })
})
