import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fleetControl } from '../../../src/cli/input/fleet-control.js'
import { routes } from '../../../src/page/api/routes.js'
import { mayUse } from '../../../src/page/door/people.js'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { idleFleet } from '../../support/idle-fleet.js'
import { aPage, type APage } from './a-page.js'
import { answerDialog, clickOn, closeDialog } from './controls.js'

const path = await anyBrowserPath()
const pictures = process.env['PAGE_PICTURES']

async function act(store: APage, command: string, body: object, expected = 200): Promise<unknown> {
  const { status, text } = await store.post(`/api/actions/${command}`, body)
  expect(status, text).toBe(expected)
  return JSON.parse(text) as unknown
}

const refusal = (says: string) => ({ error: { message: expect.stringContaining(says) as string } })

describe('a page without instances to scale', () => {
  it('refuses to scale and to rebalance, and says what to do', async () => {
    const store = await aPage()
    const advice = refusal('--state DIR or --app-service NAME --resource-group NAME')
    expect(await act(store, 'scale', { role: 'agents', count: '2' }, 400)).toMatchObject(advice)
    expect(await act(store, 'rebalance', {}, 400)).toMatchObject(advice)
    expect(JSON.parse((await store.get('/api/about')).text)).toMatchObject({ fleetOptions: null })
    await store.close()
  })

  it('lets only an Admin scale, and an Operator rebalance', () => {
    const mayDo = (role: 'Operator' | 'Admin', command: string): boolean => {
      const found = routes.find(({ path: known }) => known === `/api/actions/${command}`)
      return found !== undefined && mayUse({ by: 'ada', roles: [role] }, found)
    }
    expect([mayDo('Operator', 'scale'), mayDo('Admin', 'scale'), mayDo('Operator', 'rebalance')]).toEqual([
      ...[false, true, true],
    ])
  })

  it('of an app says that its instances look for leases by themselves', async () => {
    const store = await aPage(undefined, await fleetControl({ appService: 'shop', resourceGroup: 'g' }))
    const says = 'app shop cannot be asked to rebalance: its instances look for leases by themselves'
    expect(await act(store, 'rebalance', {}, 400)).toMatchObject(refusal(says))
    await store.close()
  })
})

describe.skipIf(path === null)('the view of the fleet', () => {
  let folder: string
  let state: string
  let store: APage
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fleet-'))
    state = join(folder, 'state')
    store = await aPage(undefined, await fleetControl({ state }))
    browser = await Browser.open(path ?? '')
    page = await browser.visit(store.address())
    await page.until(`document.querySelector('header nav')`)
  })
  afterAll(async () => {
    await browser.close()
    await store.close()
    await rm(folder, { recursive: true, force: true })
  })

  const commandText = (): Promise<string> =>
    page.evaluate<string>(`document.querySelector('dialog .command code').textContent`)

  it('says that no fleet runs', async () => {
    await clickOn(page, 'Fleet')
    await page.until(
      `document.querySelector('main').textContent.includes('There are no instances to scale: no fleet answers')`,
    )
    await clickOn(page, 'Now')
    expect(await act(store, 'scale', { role: 'agents', count: '2' }, 409)).toMatchObject(refusal('fleet'))
  })

  it('scales a role and rebalances, each after a dry run, with their commands', async () => {
    const fleet = await idleFleet({ agents: 1, scheduler: 1 }, state)
    await clickOn(page, 'Fleet')
    const wanted = (text: string): string => `document.querySelector('main').textContent.includes('${text}')`
    await page.until(wanted('Instances that should run: agents 1, scheduler 1.'))
    await clickOn(page, 'Scale')
    await page.until(`document.querySelector('dialog[open]')`)
    const offered = `[...document.querySelectorAll('dialog [name="role"] option')].map(({ value }) => value)`
    await page.until(`${offered}.length === 3`)
    expect(await page.evaluate(offered)).toEqual(['', 'agents', 'scheduler'])
    expect(await commandText()).toBe(`stepward scale --state ${state} ROLE N`)
    const dry = { role: 'agents', count: '2', dryRun: true }
    expect(await act(store, 'scale', dry)).toEqual({
      isDryRun: true,
      done: ['local agents: 1 → 2'],
      refused: [],
      warnings: [],
    })
    expect(await act(store, 'scale', { ...dry, count: '0' })).toMatchObject({
      warnings: ['Without an instance of agents, no step is carried out until one runs again.'],
    })
    expect((await fleet.status()).wanted).toEqual({ agents: 1, scheduler: 1 })
    const said = await answerDialog(page, { role: 'agents', count: '2' })
    expect(said).toContain('1 role accepted this.')
    expect(said).toContain('local agents: 1 → 2')
    expect((await fleet.status()).wanted).toEqual({ agents: 2, scheduler: 1 })
    await closeDialog(page)
    await page.until(wanted('Instances that should run: agents 2, scheduler 1.'))
    await clickOn(page, 'Rebalance')
    await page.until(`document.querySelector('dialog[open]')`)
    expect(await commandText()).toBe(`stepward rebalance --state ${state}`)
    expect(await answerDialog(page, { role: 'scheduler' })).toContain('1 process accepted this.')
    expect(await commandText()).toBe(`stepward rebalance --state ${state} scheduler`)
    await closeDialog(page)
    const wrong = { role: 'weavers', count: '2' }
    expect(await act(store, 'scale', wrong, 400)).toMatchObject(
      refusal('role "weavers" must be one of scheduler,'),
    )
    const many = refusal('count "many" must be a whole number from 0 to 256')
    expect(await act(store, 'scale', { role: 'agents', count: 'many' }, 400)).toMatchObject(many)
    expect(await act(store, 'rebalance', { role: 'notifier' }, 400)).toMatchObject(refusal('it runs agents'))
    expect(page.complaints).toEqual([])
  })

  it.skipIf(pictures === undefined)('has pictures of its dialogs', async () => {
    await mkdir(pictures ?? '', { recursive: true })
    await idleFleet({ agents: 2, scheduler: 1 }, state)
    for (const [view, button] of [
      ['/fleet', 'Scale'],
      ['/fleet', 'Rebalance'],
      ['/schedules', 'Define'],
      ['/schedules?schedule=counting', 'Define'],
    ] as const) {
      await page.begin(`${store.origin}${view}`)
      await clickOn(page, button)
      await page.until(`document.querySelector('dialog[open]')`)
      await page.look({ width: 1280, height: 1080, isDark: false })
      const file = `dialog-${button}-${view.includes('?') ? 'one' : 'all'}.png`
      await writeFile(join(pictures ?? '', file), await page.picture())
    }
  })
})
