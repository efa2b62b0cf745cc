import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../../src/page/api/routes.js'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { aPage, type APage } from './a-page.js'
import { answerDialog, clickOn, closeDialog, control, typeInto } from './controls.js'

const path = await anyBrowserPath()
let store: APage

beforeAll(async () => {
  store = await aPage()
})
afterAll(() => store.close())

async function read(path: string): Promise<unknown> {
  const { status, text } = await store.get(path)
  expect(status, text).toBe(200)
  const answer = JSON.parse(text) as unknown
  return routes.find((known) => known.path === path.split('?')[0])?.answer.parse(answer)
}

async function act(command: string, body: object, expected = 200): Promise<unknown> {
  const { status, text } = await store.post(`/api/actions/schedule/${command}`, body)
  expect(status, text).toBe(expected)
  return JSON.parse(text) as unknown
}

describe('the API of schedules', () => {
  it('lists schedules, and shows one with its ticks', async () => {
    expect(await read('/api/schedules')).toMatchObject([{ id: 'counting', workflow: 'count-stock' }])
    const found = await read('/api/schedule?id=counting')
    const due = expect.stringMatching(/-02-29T01:30:00.000Z$/) as string
    expect(found).toMatchObject({ next: Array.from({ length: 10 }, () => due), previous: [] })
    expect((await store.get('/api/schedule?id=none')).status).toBe(404)
    expect((await store.get('/api/schedule')).status).toBe(400)
  })

  it('keeps the name and the reason of each action', async () => {
    const schedule = 'counting'
    await act('pause', { schedule, why: 'stocktaking' })
    expect(await read('/api/schedule?id=counting')).toMatchObject({
      schedule: { paused: { by: 'ada', why: 'stocktaking' } },
      next: [],
    })
    await act('resume', { schedule, why: 'done' })
    const triggered = await act('trigger', { schedule, why: 'late data' })
    expect(triggered).toMatchObject({ done: [expect.stringMatching(/^counting@.*\.manual$/)] })
    const times = { from: '2024-01-01', to: '2024-12-31' }
    const dry = await act('backfill', { schedule, ...times, why: 'new column', dryRun: true })
    expect(dry).toEqual({ isDryRun: true, done: ['counting@20240229T013000Z'], refused: [] })
    await act('backfill', { schedule, ...times, why: 'new column' })
    expect(await act('backfill', { schedule, ...times, why: 'again' })).toMatchObject({
      done: [],
      refused: [{ jobId: 'counting@20240229T013000Z', reason: 'the tick had been submitted before' }],
    })
    const { schedule: stored } = (await read('/api/schedule?id=counting')) as {
      schedule: { audit: { command: string; by: string }[] }
    }
    expect(stored.audit.map(({ command, by }) => `${command} ${by}`)).toEqual([
      'pause ada',
      'resume ada',
      'trigger ada',
      'backfill ada',
      'backfill ada',
    ])
  })

  it('creates a schedule and changes its parts, and keeps who did it', async () => {
    const schedule = 'weekly'
    const input = { jobId: 'o', isRefused: false, amount: 3 }
    const created = { schedule, workflow: 'buying', cron: '0 6 * * 1', input, why: 'a new shop' }
    expect(await act('set', { ...created, dryRun: true })).toMatchObject({ isDryRun: true, done: ['weekly'] })
    expect(await store.host.client.schedules.get('weekly')).toBeNull()
    await act('set', created)
    await act('set', { schedule, timeZone: 'Europe/Berlin', overlap: 'queue', why: 'it moves' })
    expect(await store.host.client.schedules.get('weekly')).toMatchObject({
      ...{ workflow: 'buying', cron: '0 6 * * 1', timeZone: 'Europe/Berlin', overlap: 'queue' },
      audit: [
        { command: 'set', by: 'ada', why: 'a new shop' },
        { command: 'set', by: 'ada', why: 'it moves' },
      ],
    })
    expect((await read('/api/audit')) as object).toMatchObject({
      rows: expect.arrayContaining([
        expect.objectContaining({ command: 'set', id: 'weekly', why: 'it moves' }),
      ]) as [],
    })
    await act('delete', { schedule, why: 'over' })
  })

  it.each([
    [{ schedule: 'counting', cron: '0 6 * * 1' }, 'why'],
    [{ schedule: 'counting', why: 'x' }, 'name a part to change'],
    [{ schedule: 'counting', every: 'soon', why: 'x' }, 'every is "soon"; it must be a duration'],
    [{ schedule: 'counting', every: '1h', cron: '0 6 * * 1', why: 'x' }, 'either cron'],
    [{ schedule: 'counting', workflow: 'none', why: 'x' }, 'the module has "buying"'],
    [{ schedule: 'fresh', every: '1h', why: 'x' }, 'name its workflow'],
    [{ schedule: 'Fresh', workflow: 'buying', every: '1h', why: 'x' }, 'its id must match'],
  ])('set refuses %j', async (body, says) => {
    expect(JSON.stringify(await act('set', body, 400)).replaceAll(String.raw`\"`, '"')).toContain(says)
  })

  it.each([
    ['pause', { schedule: 'counting' }, 400],
    ['pause', { schedule: 'none', why: 'x' }, 404],
    ['trigger', { schedule: 'none', why: 'x' }, 404],
    ['backfill', { schedule: 'counting', why: 'x', from: 'noon', to: '1h' }, 400],
    ['backfill', { schedule: 'counting', why: 'x', from: '2h', to: '2999-01-01' }, 400],
    ['delete', { schedule: 'none', why: 'x' }, 404],
  ])('%s refuses %j', async (command, body, status) => {
    expect(await act(command, body, status)).toMatchObject({
      error: { message: expect.any(String) as string },
    })
  })
})

describe.skipIf(path === null)('the view of schedules', () => {
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    browser = await Browser.open(path ?? '')
    page = await browser.visit(store.address())
    await page.until(`document.querySelector('header nav')`)
  })
  afterAll(() => browser.close())

  async function dialog(button: string, fields: Readonly<Record<string, string>>): Promise<string> {
    await clickOn(page, button)
    const said = await answerDialog(page, fields)
    await closeDialog(page)
    return said
  }

  it('leads from the list to a schedule, which is paused, resumed, run now and backfilled', async () => {
    await clickOn(page, 'Schedules')
    await clickOn(page, 'counting')
    await page.until(`location.search === '?schedule=counting' && ${control('Pause')}`)
    expect(await dialog('Pause', { why: 'the bank is down' })).toContain('1 schedule accepted this.')
    await page.until(`document.querySelector('.problem')?.textContent.includes('by ada: the bank is down')`)
    await dialog('Resume', { why: 'it is up' })
    expect(await dialog('Run now', { why: 'at once' })).toContain('1 job was submitted.')
    const times = { from: '2019-01-01', to: '2020-12-31' }
    const filled = await dialog('Backfill', { ...times, why: 'late' })
    expect(filled).toContain('1 tick was submitted.')
    expect(filled).toContain('counting@20200229T013000Z')
    await page.until(`document.querySelector('.decisions')?.textContent.includes('backfill')`)
    expect((await store.host.client.schedules.get('counting'))?.audit.at(-1)).toMatchObject({
      command: 'backfill',
      by: 'ada',
      why: '1 tick, 20190101T000000Z to 20201231T000000Z: late',
    })
    expect(page.complaints).toEqual([])
  })

  it('Run now leads to its job', async () => {
    await clickOn(page, 'Run now')
    const said = await answerDialog(page, { why: 'at once' })
    const [jobId = ''] = /counting@\S+\.manual/.exec(said) ?? []
    await page.evaluate(`document.querySelector('dialog .result a').click()`)
    await page.until(`document.querySelector('h1')?.textContent === ${JSON.stringify(jobId)}`)
    expect(await page.evaluate(`document.querySelector('dialog')`)).toBeNull()
    await page.begin(`${store.origin}/schedules?schedule=counting`)
    expect(page.complaints).toEqual([])
  })

  it('shows the command of each action, and what is missing', async () => {
    await clickOn(page, 'Backfill')
    await page.until(`document.querySelector('dialog[open]')`)
    expect(await page.evaluate(`document.querySelector('dialog .command code').textContent`)).toBe(
      'stepward schedule backfill --from TIME --to TIME --why TEXT --by ada counting',
    )
    expect(await page.evaluate(`document.querySelector('dialog .buttons').textContent`)).toContain(
      'Give the earliest due time.',
    )
    await closeDialog(page)
  })

  it('defines a schedule, and changes one of its parts', async () => {
    await page.begin(`${store.origin}/schedules`)
    await clickOn(page, 'Define')
    await page.until(`document.querySelector('dialog[open]')`)
    await typeInto(page, `document.querySelector('dialog [name="cron"]')`, '0 6 * * 1')
    expect(await page.evaluate(`document.querySelector('dialog .command code').textContent`)).toBe(
      "stepward schedule set --workflow NAME --cron '0 6 * * 1' --workflows MODULE --why TEXT --by ada SCHEDULE",
    )
    const fields = { schedule: 'monday', workflow: 'buying', why: 'a new shop' }
    expect(await answerDialog(page, fields)).toContain('1 schedule accepted this.')
    await closeDialog(page)
    await clickOn(page, 'monday')
    await page.until(`document.querySelector('.decisions')?.textContent.includes('a new shop')`)
    await clickOn(page, 'Define')
    await page.until(`document.querySelector('dialog .buttons')?.textContent.includes('Change a part.')`)
    await typeInto(page, `document.querySelector('dialog [name="jitter"]')`, '5m')
    expect(await page.evaluate(`document.querySelector('dialog .command code').textContent`)).toBe(
      'stepward schedule set --jitter 5m --why TEXT --by ada monday',
    )
    await answerDialog(page, { why: 'too many at once' })
    await closeDialog(page)
    await page.until(`document.querySelector('.decisions')?.textContent.includes('too many at once')`)
    expect(await store.host.client.schedules.get('monday')).toMatchObject({
      ...{ workflow: 'buying', cron: '0 6 * * 1', jitterMs: 300_000 },
      audit: [{ by: 'ada' }, { command: 'set', why: 'too many at once' }],
    })
    await store.host.client.schedules.delete('monday')
    await page.begin(`${store.origin}/schedules?schedule=counting`)
    expect(page.complaints).toEqual([])
  })

  it('says that a deleted schedule is gone', async () => {
    expect(await dialog('Delete', { why: 'over' })).toContain('1 schedule accepted this.')
    await page.until(`document.body.textContent.includes('there is no schedule')`)
    await clickOn(page, 'all schedules')
    await page.until(`document.querySelector('.empty')?.textContent.includes('There is no schedule')`)
    expect(await store.host.client.schedules.list()).toEqual([])
  })
})
