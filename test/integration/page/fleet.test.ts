import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FleetControl } from '../../../src/page/api/page-store.js'
import { fleetControl } from '../../../src/cli/input/fleet-control.js'
import { routes } from '../../../src/page/api/routes.js'
import { mayUse } from '../../../src/page/door/people.js'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { idleFleet } from '../../support/idle-fleet.js'
import { aPage, type APage } from './a-page.js'
import { answerDialog, clickOn, closeDialog, typeInto } from './controls.js'

const path = await anyBrowserPath()
const why = 'the sale begins'
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
    expect(await act(store, 'scale', { role: 'agents', count: '2', why }, 400)).toMatchObject(advice)
    expect(await act(store, 'rebalance', { why }, 400)).toMatchObject(advice)
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
    expect(await act(store, 'rebalance', { why }, 400)).toMatchObject(refusal(says))
    await store.close()
  })
})

describe('a decision about instances', () => {
  /** A fleet that has one instance, and remembers what it was asked for. */
  function recordedFleet() {
    const asked: string[] = []
    const target = {
      name: 'local agents',
      place: 'fleet on host-1',
      role: 'agents',
      instances: () => Promise.resolve(1),
      scale: (count: number) => {
        asked.push(`scale ${count}`)
        return Promise.resolve(count)
      },
    }
    const control: FleetControl = {
      options: [],
      place: target.place,
      targetOf: () => Promise.resolve(target),
      wanted: () => Promise.resolve({ counts: { agents: 1 }, isByRole: true, problem: null }),
      rebalance: (_role, isDryRun) => {
        if (!isDryRun) asked.push('rebalance')
        return Promise.resolve(['one'])
      },
    }
    return { asked, control }
  }

  it('needs a reason unless it is a dry run, and is in the audit with its person', async () => {
    const { asked, control } = recordedFleet()
    const store = await aPage(undefined, control)
    const missing = refusal('why is missing: say why')
    expect(await act(store, 'scale', { role: 'agents', count: '2' }, 400)).toMatchObject(missing)
    expect(await act(store, 'rebalance', {}, 400)).toMatchObject(missing)
    expect(await act(store, 'rebalance', { why: ' ' }, 400)).toMatchObject(missing)
    const long = { role: 'agents', count: '2', why: 'x'.repeat(2_001) }
    expect(await act(store, 'scale', long, 400)).toMatchObject(refusal('at most 2,000 characters'))
    await act(store, 'scale', { role: 'agents', count: '2', dryRun: true })
    await act(store, 'rebalance', { dryRun: true })
    expect(asked).toEqual([])
    expect(await act(store, 'scale', { role: 'agents', count: '2', why })).toMatchObject({ warnings: [] })
    expect(await act(store, 'rebalance', { role: 'agents', why })).toMatchObject({ warnings: [] })
    expect(await act(store, 'rebalance', { why })).toMatchObject({ warnings: [] })
    expect(asked).toEqual(['scale 2', 'rebalance', 'rebalance'])
    const { rows } = JSON.parse((await store.get('/api/audit')).text) as { rows: object[] }
    const made = { about: 'fleet', by: 'ada', why, target: 'fleet on host-1' }
    expect(rows.slice(0, 3)).toMatchObject([
      { ...made, command: 'rebalance', id: 'all' },
      { ...made, command: 'rebalance', id: 'agents' },
      { ...made, command: 'scale 1 → 2', id: 'agents' },
    ])
    await store.close()
  })

  it('is carried out although the audit cannot be written, and a warning says so', async () => {
    const { asked, control } = recordedFleet()
    const store = await aPage(undefined, control)
    const place = { id: 'sas.fleetDecisions', pk: 'sas.fleetDecisions', type: 'sas.fleetDecisions' }
    const container = store.store.client().database('stepward').container('state')
    await container.items.create({ ...place, schema: 99 })
    expect(await act(store, 'scale', { role: 'agents', count: '0', why })).toMatchObject({
      done: ['local agents: 1 → 0'],
      warnings: [
        'Without an instance of agents, no step is carried out until one runs again.',
        'local agents: 1 → 0, but the audit may lack this decision: document sas.fleetDecisions cannot be read: a newer version has written it',
      ],
    })
    const [warning] = ((await act(store, 'rebalance', { why })) as { warnings: string[] }).warnings
    expect(warning).toMatch(/^the processes look for leases, but the audit may lack this decision: /)
    expect(asked).toEqual(['scale 0', 'rebalance'])
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
    const says = await page.until<string>(
      `[...document.querySelectorAll('main p')].find((one) => one.textContent.includes('no fleet answers'))?.textContent`,
    )
    const advice = `on the machine that serves this page, start it with "stepward start --role ROLE --instances N --state ${state}"`
    expect(says).toContain(`There are no instances to scale: no fleet answers at ${state}`)
    expect(says).toContain(advice)
    expect(says).not.toContain('run this in')
    await clickOn(page, 'Now')
    const scaled = await act(store, 'scale', { role: 'agents', count: '2', why }, 409)
    expect(scaled).toMatchObject(refusal(advice))
    expect(await act(store, 'rebalance', { why }, 409)).toMatchObject(refusal(advice))
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
    expect(await commandText()).toBe(`stepward scale --why TEXT --by ada --state ${state} ROLE N`)
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
    const acts = `document.querySelector('dialog button.primary')`
    await typeInto(page, `document.querySelector('dialog [name="role"]')`, 'agents')
    await typeInto(page, `document.querySelector('dialog [name="count"]')`, '2')
    const hint = await page.until<string>(
      `${acts}.disabled && document.querySelector('dialog .buttons .quiet').textContent`,
    )
    expect(hint).toBe('Give the reason.')
    const said = await answerDialog(page, { why })
    expect(await commandText()).toBe(`stepward scale --why '${why}' --by ada --state ${state} agents 2`)
    expect(said).toContain('1 role accepted this.')
    expect(said).toContain('local agents: 1 → 2')
    expect((await fleet.status()).wanted).toEqual({ agents: 2, scheduler: 1 })
    await closeDialog(page)
    await page.until(wanted('Instances that should run: agents 2, scheduler 1.'))
    await clickOn(page, 'Rebalance')
    await page.until(`document.querySelector('dialog[open]')`)
    expect(await commandText()).toBe(`stepward rebalance --why TEXT --by ada --state ${state}`)
    expect(await answerDialog(page, { role: 'scheduler', why: 'uneven' })).toContain(
      '1 process accepted this.',
    )
    expect(await commandText()).toBe(`stepward rebalance --why uneven --by ada --state ${state} scheduler`)
    await closeDialog(page)
    await clickOn(page, 'Audit')
    await page.until(`document.querySelectorAll('.decisions tbody tr').length > 1`)
    const decisions = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.decisions tbody tr')].slice(0, 2).map(({ textContent }) => textContent)`,
    )
    expect(decisions[0]).toMatch(/ada.*role scheduler: rebalance \(fleet on .*uneven/s)
    expect(decisions[1]).toMatch(/ada.*role agents: scale 1 → 2 \(fleet on .*the sale begins/s)
    await clickOn(page, 'scheduler')
    await page.until(`location.pathname === '/fleet'`)
    const wrong = { role: 'weavers', count: '2', why }
    expect(await act(store, 'scale', wrong, 400)).toMatchObject(
      refusal('role "weavers" must be one of scheduler,'),
    )
    const many = refusal('count "many" must be a whole number from 0 to 256')
    expect(await act(store, 'scale', { role: 'agents', count: 'many', why }, 400)).toMatchObject(many)
    expect(await act(store, 'rebalance', { role: 'notifier', why }, 400)).toMatchObject(
      refusal('it runs agents'),
    )
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
