import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startHost, type Host } from '../../../src/host/index.js'
import { readThroughput } from '../../../src/operations/cosmos-throughput.js'
import { defineWorkflow } from '../../../src/sas/index.js'
import { jobDocumentId } from '../../../src/sas/internal.js'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { aPage, ask, bank, buying, hostile, type APage } from './a-page.js'

const path = await anyBrowserPath()
const pictures = process.env['PAGE_PICTURES']

const paying = defineWorkflow<object>('paying', (job) => {
  job.step('pay', bank.pay, { isRefused: false, amount: 2 }, { undo: 'none' })
})

interface Usage {
  readonly ended: number
  readonly workflows: readonly { readonly workflow: string; readonly ended: number }[]
  readonly assumed: object
  readonly forecast: { readonly throughput: object; readonly share: number }
}

let store: APage

beforeAll(async () => {
  store = await aPage()
  for (const jobId of ['cost-1', 'cost-2']) {
    await (await store.host.client.submit(paying, {}, { jobId })).result()
  }
  // Another program may have written a name that this library refuses.
  const state = store.store.client().database('stepward').container('state')
  await state
    .item(jobDocumentId('cost-2'), 'cost-2')
    .patch([{ op: 'replace', path: '/workflow', value: hostile }])
  await store.host.client.submit(buying, { jobId: 'open', isRefused: false, amount: 7 }, { jobId: 'open' })
})
afterAll(() => store.close())

const usageOf = async (query: string): Promise<Usage> =>
  JSON.parse((await store.get(`/api/usage${query}`)).text) as Usage

describe('the usage of the page', () => {
  it('counts the ended jobs of each workflow, and compares them with no throughput that does not limit them', async () => {
    const found = await usageOf('')
    expect(found).toMatchObject({
      ended: 2,
      workflows: [
        { workflow: expect.any(String) as string, ended: 1 },
        { workflow: expect.any(String) as string, ended: 1 },
      ],
      assumed: { isTogether: true, instances: 1, partitions: 1 },
      forecast: {
        throughput: { requestUnits: null, reason: 'the embedded store limits no throughput' },
        share: null,
      },
    })
    expect((await usageOf('?provisioned=1000')).forecast).toMatchObject({
      throughput: { requestUnits: 1_000, kind: 'given' },
    })
    expect((await store.get('/api/usage?hours=0')).status).toBe(400)
  })

  it('reads the throughput of the database if the container has none, and says why there is none', async () => {
    const client = store.store.client()
    const own = client.database('stepward').container('state')
    expect(await readThroughput(own)).toMatchObject({ requestUnits: 400, kind: 'manual', of: 'container' })
    const { database } = await client.databases.createIfNotExists({ id: 'shared', throughput: 1_000 })
    const { container } = await database.containers.createIfNotExists({ id: 'c', partitionKey: '/pk' })
    expect(await readThroughput(container)).toMatchObject({ requestUnits: 1_000, of: 'database' })
    expect(await readThroughput(database.container('none'))).toMatchObject({
      requestUnits: null,
      reason: 'the store does not tell the throughput',
    })
  })
})

describe('what the host of a page has measured', () => {
  let host: Host

  beforeAll(async () => {
    host = await startHost({ embedded: store.store, database: 'own', agents: [bank], page: { port: 0 } })
  })
  afterAll(() => host.stop())

  it('is shown by operation and by role', async () => {
    await (await host.client.submit(paying, {}, { jobId: 'measured' })).result()
    const { headers } = await ask(host.page?.address ?? '')
    const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const { text } = await ask(new URL('/api/charges', host.page?.address).href, { headers: { cookie } })
    const { host: measured } = JSON.parse(text) as {
      host: {
        rows: { operation: string; requests: number; charge: number }[]
        users: { user: string; requests: number; charge: number }[]
      }
    }
    const written = measured.rows.find(({ operation }) => operation === 'state.replace')
    expect(written?.requests).toBeGreaterThan(0)
    expect(written?.charge).toBeGreaterThan(written?.requests ?? Infinity)
    const users = measured.users.map(({ user }) => user).toSorted()
    expect(users).toEqual(['agents', 'client', 'feed', 'notifier', 'scheduler', 'supervisor'])
    const sum = (rows: readonly { charge: number }[]): number =>
      rows.reduce((total, { charge }) => total + charge, 0)
    expect(sum(measured.users)).toBeCloseTo(sum(measured.rows), 6)
    const [scheduler] = measured.users.filter(({ user }) => user === 'scheduler')
    expect(scheduler?.charge).toBeGreaterThan(10)
  })
})

describe.skipIf(path === null)('the view Cost in a browser', () => {
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    browser = await Browser.open(path ?? '')
    page = await browser.visit(store.address())
    await page.until(`document.querySelector('header nav')`)
  })
  afterAll(() => browser.close())

  const panel = (title: string): string =>
    `[...document.querySelectorAll('.panel')].find((one) => one.querySelector('h2')?.textContent.startsWith(${JSON.stringify(title)}))`

  it('shows workflows, roles and feeds, and says what is computed and what is measured', async () => {
    await page.begin(`${store.origin}/cost`)
    expect(await page.until<string>(`${panel('By workflow, computed')}?.textContent`)).toContain(hostile)
    const roles = `[...${panel('By role')}.querySelectorAll('tbody tr')].map((row) => row.cells[0].textContent)`
    expect(await page.evaluate(roles)).toEqual([
      'submitters',
      'scheduler',
      'agents',
      'supervisor',
      'notifier',
    ])
    expect(await page.evaluate(`${panel('By feed')}.querySelectorAll('tbody tr').length`)).toBe(4)
    expect(await page.until<string>(`${panel('This process, measured')}?.textContent`)).toContain(
      'runs no roles',
    )
    const text = await page.evaluate<string>('document.body.textContent')
    expect(text).toContain('the embedded store limits no throughput')
    expect(text).toContain('RU/s on average over 24 h')
    expect(text).toContain('in the busiest hour')
    for (const [width, isDark] of [
      [390, false],
      [800, false],
      [1280, false],
      [1280, true],
    ] as const) {
      await page.look({ width, height: 1080, isDark })
      const [wide, seen] = await page.evaluate<[number, number]>(
        `[document.documentElement.scrollWidth, document.documentElement.clientWidth]`,
      )
      expect(wide, `at ${width} px`).toBeLessThanOrEqual(seen)
      if (pictures === undefined) continue
      await mkdir(pictures, { recursive: true })
      await writeFile(join(pictures, `cost-${width}${isDark ? '-dark' : ''}.png`), await page.picture())
    }
    expect(page.complaints).toEqual([])
  })

  it('takes the throughput and the hours from its address, and gives the command', async () => {
    await page.begin(`${store.origin}/cost?provisioned=1&hours=2`)
    const text = await page.until<string>(`document.querySelector('.share.high')?.textContent`)
    expect(text).toMatch(/^The busiest hour uses .* %.*, more than there is\./u)
    expect(await page.evaluate('document.body.textContent')).toContain(
      'stepward usage --hours 2 --provisioned 1',
    )
    await page.evaluate(`(() => {
      const field = document.querySelector('input[name="provisioned"]')
      field.value = '5000'
      field.dispatchEvent(new Event('change', { bubbles: true }))
    })()`)
    await page.until(`new URLSearchParams(location.search).get('provisioned') === '5000'`)
    await page.until(`!document.querySelector('.share.high') && document.querySelector('.share')`)
    expect(page.complaints).toEqual([])
  })
})
