/**
 * `npm run pictures -- --out FOLDER` fills an embedded store with the jobs of a shop, and stores a picture of every view of
 * the page, in light and dark, in windows of 390, 1280 and 1920 pixels. `--docs` stores those of the documentation only.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { startHost, systemClock } from '../../src/index.js'
import { fleetControl } from '../../src/cli/input/fleet-control.js'
import { keepVersions } from '../../src/connection/keep-versions.js'
import { createInProcessCosmos } from '../../src/emulator/index.js'
import { servePage } from '../../src/page/index.js'
import { isWorkflow } from '../../src/sas/internal.js'
import { anyBrowserPath, Browser } from '../support/browser.js'
import {
  counting,
  fulfilling,
  inventory,
  openShop,
  order,
  payments,
  sayWhoLooksAfter,
  schedules,
  shipping,
} from './shop-of-pictures.js'

const { values } = parseArgs({
  options: { out: { type: 'string' }, docs: { type: 'boolean', default: false }, only: { type: 'string' } },
})
const { out, docs, only } = values
if (out === undefined) throw new Error('--out FOLDER: name the folder for the pictures')
const path = await anyBrowserPath()
if (path === null) throw new Error('no Chromium runs on this machine')

/** The views, each with the name of its picture. The views of the first group show changes only while they are open. */
const live = ['/', '/tail', '/leases', '/operations'] as const
const views: readonly (readonly [string, string])[] = [
  ['/', 'now'],
  ['/inbox', 'inbox'],
  ['/jobs', 'jobs'],
  ['/job?jobId=10247', 'job'],
  ['/history?jobId=10246', 'history'],
  ['/leases', 'leases'],
  ['/fleet', 'fleet'],
  ['/schedules', 'schedules'],
  ['/schedules?schedule=nightly-count', 'schedule'],
  ['/limits', 'limits'],
  ['/pauses', 'pauses'],
  ['/cost', 'cost'],
  ['/operations', 'operations'],
  ['/audit', 'audit'],
  ['/tail', 'tail'],
]

/** The views whose pictures in the documentation show a run of the orders sample. */
const fromOrders: readonly string[] = ['job', 'history']

const embedded = createInProcessCosmos()
const host = await startHost({ embedded, agents: [inventory, payments, shipping], schedules })
await keepVersions(embedded.client().database('stepward').container('state'), 3_600_000)
await openShop(host)

const wanted = { counts: { all: 1 }, isByRole: true, problem: null }
const served = await servePage({
  settings: { embedded, provision: false },
  port: 0,
  by: 'ann',
  fleet: { ...(await fleetControl({})), wanted: () => Promise.resolve(wanted) },
  workflows: [fulfilling as unknown, counting].filter(isWorkflow),
  // One browser signs in, with the first address.
  onOpened: () => undefined,
})
const { address } = served
const { origin } = new URL(address)
const browser = await Browser.open(path)
const page = await browser.visit(address)
await page.until(`document.querySelector('header nav')`)
// An action on several jobs of the page is what the view Operations lists.
await page.evaluate(`fetch('/api/actions/resubmit', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ filter: { state: 'Error', workflow: 'order-fulfilment' }, why: 'shelves filled' }),
}).then((answer) => answer.text())`)
await systemClock.sleep(3_000)
await sayWhoLooksAfter(host)

const isLoaded = `document.querySelector('main h1') && document.querySelector('.panel, table') &&
  ![...document.querySelectorAll('.quiet, .number')].some((one) => one.textContent === '…')`
const widths = docs ? [1280] : [390, 1280, 1920]
const heights = { least: 400, most: docs ? 1_100 : 2_200 }
let number = 20_000
await mkdir(out, { recursive: true })
for (const [view, name] of views) {
  if ((only !== undefined && only !== name) || (docs && fromOrders.includes(name))) continue
  for (const width of widths) {
    await page.look({ width, height: heights.least, isDark: false })
    await page.begin(`${origin}${view}`)
    await page.until(isLoaded)
    if ((live as readonly string[]).includes(view)) {
      for (let count = 0; count < 6; count += 1) await order(host, (number += 1))
      await systemClock.sleep(6_000)
    }
    const content = await page.evaluate<number>('document.documentElement.scrollHeight')
    const height = Math.min(heights.most, Math.max(heights.least, content))
    for (const isDark of docs ? [false] : [false, true]) {
      await page.look({ width, height, isDark })
      await systemClock.sleep(300)
      const file = docs ? `page-${name}.png` : `${name}-${width}-${isDark ? 'dark' : 'light'}.png`
      await writeFile(join(out, file), await page.picture())
      process.stdout.write(`${file}\n`)
    }
  }
}
for (const complaint of page.complaints) process.stdout.write(`${complaint}\n`)
process.exitCode = page.complaints.length === 0 ? 0 : 1
await browser.close()
await served.close()
await host.stop()
await embedded.close()
