import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../../src/page/api/routes.js'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { aPage, type APage } from './a-page.js'
import { answerDialog, clickOn, closeDialog, typeInto } from './controls.js'

const path = await anyBrowserPath()
let store: APage

beforeAll(async () => {
  store = await aPage()
})
afterAll(() => store.close())

const act = async (command: string, body: object, expected = 200): Promise<string> => {
  const { status, text } = await store.post(`/api/actions/limit/${command}`, body)
  expect(status, text).toBe(expected)
  return text
}

describe('the API of limits', () => {
  it('lists limits, sets the numbers that are named and keeps the others, and gives a limit back', async () => {
    const { text } = await store.get('/api/limits')
    const answer = routes.find((known) => known.path === '/api/limits')?.answer.parse(JSON.parse(text))
    expect(answer).toMatchObject([{ key: 'bank', atOnce: 3, perSecond: 20, waiting: 0, set: { by: 'ann' } }])
    await act('set', { key: 'bank', atOnce: '0', why: 'down' })
    expect(await store.host.client.limits.get('bank')).toMatchObject({
      atOnce: 0,
      perSecond: 20,
      set: { by: 'ada', why: 'down' },
    })
    await act('set', { key: 'bank', perSecond: '0.5', burst: '4', why: 'slow' })
    expect(await store.host.client.limits.get('bank')).toMatchObject({ atOnce: 0, perSecond: 0.5, burst: 4 })
    await act('clear', { key: 'bank' })
    // No workflow of this store uses the limit, so no document of it is left to list.
    expect(await store.host.client.limits.get('bank')).toBeNull()
  })

  it.each([
    ['set', { key: 'bank', atOnce: 'many', why: 'x' }],
    ['set', { key: 'bank', atOnce: '2000', why: 'x' }],
    ['set', { key: 'bank', atOnce: '1.5', why: 'x' }],
    ['set', { key: 'bank', perSecond: '0', why: 'x' }],
    ['set', { key: 'bank', perSecond: '5/s', why: 'x' }],
    ['set', { key: 'bank', atOnce: '1', burst: '3', why: 'x' }],
    ['set', { key: 'bank', why: 'x' }],
    ['set', { key: 'bank', atOnce: '1' }],
    ['clear', {}],
  ])('refuses %s of %j', async (command, body) => {
    expect(await act(command, body, 400)).toContain('message')
  })
})

describe.skipIf(path === null)('the view of limits', () => {
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    await store.host.client.limits.set('bank', { atOnce: 2 }, { by: 'ann', why: 'slow' })
    browser = await Browser.open(path ?? '')
    page = await browser.visit(store.address())
    await page.until(`document.querySelector('header nav')`)
  })
  afterAll(() => browser.close())

  it('sets the numbers of a limit with its command, and gives it back', async () => {
    await clickOn(page, 'Limits')
    await page.until(`document.querySelector('table.limits')?.textContent.includes('0 of 2')`)
    await clickOn(page, 'Set')
    await page.until(`document.querySelector('dialog[open]')`)
    const command = `document.querySelector('dialog .command code').textContent`
    expect(await page.evaluate(command)).toBe('stepward limit set --why TEXT --by ada bank')
    expect(await page.evaluate(`document.querySelector('dialog [name="atOnce"]').value`)).toBe('2')
    expect(await page.evaluate(`document.querySelector('dialog .buttons .quiet').textContent`)).toBe(
      'Change a part.',
    )
    await typeInto(page, `document.querySelector('dialog [name="perSecond"]')`, '0.5')
    await typeInto(page, `document.querySelector('dialog [name="burst"]')`, '3')
    expect(await page.evaluate(command)).toBe(
      'stepward limit set --per-second 0.5 --burst 3 --why TEXT --by ada bank',
    )
    const said = await answerDialog(page, { atOnce: '0', why: 'the bank is down' })
    expect(await page.evaluate(command)).toBe(
      "stepward limit set --at-once 0 --per-second 0.5 --burst 3 --why 'the bank is down' --by ada bank",
    )
    expect(said).toContain('1 limit accepted this.')
    await closeDialog(page)
    await page.until(`document.querySelector('table.limits')?.textContent.includes('0, paused')`)
    expect(await page.evaluate(`document.querySelector('table.limits').textContent`)).toContain(
      '0.5 a second, burst 3',
    )
    expect((await store.host.client.limits.get('bank'))?.set).toMatchObject({
      by: 'ada',
      why: 'the bank is down',
    })
    await clickOn(page, 'Clear')
    await page.until(`document.querySelector('dialog[open]')`)
    await answerDialog(page, {})
    await closeDialog(page)
    await page.until(`document.querySelector('table.limits') === null`)
    await clickOn(page, 'Set a limit that is not listed')
    await page.until(`document.querySelector('dialog[open]')`)
    expect(await page.evaluate(command)).toBe('stepward limit set --why TEXT --by ada KEY')
    await answerDialog(page, { key: 'mail', perSecond: '2', why: 'the provider asks for it' })
    expect(await page.evaluate(command)).toBe(
      "stepward limit set --per-second 2 --why 'the provider asks for it' --by ada mail",
    )
    await closeDialog(page)
    await page.until(`document.querySelector('table.limits')?.textContent.includes('2 a second')`)
    expect(await store.host.client.limits.get('mail')).toMatchObject({ atOnce: null, perSecond: 2 })
    expect(page.complaints).toEqual([])
  })

  it('pauses a key and resumes it, each with its reason and after a dry run', async () => {
    await store.host.client.limits.set('till', { atOnce: 4 }, { by: 'ann', why: 'slow' })
    await clickOn(page, 'Pauses')
    await clickOn(page, 'Limits')
    const row = `[...document.querySelectorAll('table.limits tbody tr')].find((one) => one.textContent.includes('till'))`
    const press = async (name: string): Promise<void> => {
      const button = `[...${row}.querySelectorAll('button')].find((one) => one.textContent.trim() === '${name}')`
      await page.until(button)
      await page.evaluate(`${button}.click()`)
      await page.until(`document.querySelector('dialog[open]')`)
    }
    const buttons = `[...${row}.querySelectorAll('button')].map((one) => one.textContent.trim())`
    await page.until(row)
    expect(await page.evaluate(buttons)).toEqual(['Set', 'Clear', 'Pause'])
    await press('Pause')
    expect(await page.evaluate(`document.querySelector('dialog p').textContent`)).toContain(
      'but the deadline of its job does.',
    )
    await answerDialog(page, { why: 'stock-taking' })
    await closeDialog(page)
    await page.until(`${row}.textContent.includes('0, paused')`)
    expect(await page.evaluate(buttons)).toEqual(['Clear', 'Resume'])
    await press('Resume')
    expect(await page.evaluate(`document.querySelector('dialog .command code').textContent`)).toBe(
      'stepward resume --by ada key till',
    )
    await clickOn(page, 'Dry run')
    await page.until(`document.querySelector('.result')?.textContent.includes('would')`)
    expect(await store.host.client.limits.get('till')).toMatchObject({ atOnce: 0 })
    await answerDialog(page, { why: 'counted' })
    await closeDialog(page)
    await page.until(`${row}.textContent.includes('0 of 4')`)
    const [decision] = (JSON.parse((await store.get('/api/audit')).text) as { rows: object[] }).rows
    expect(decision).toMatchObject({ command: 'resume', by: 'ada', why: 'counted', id: 'till' })
    expect(page.complaints).toEqual([])
  })
})
