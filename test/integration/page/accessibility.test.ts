import axe from 'axe-core'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fleetControl } from '../../../src/cli/input/fleet-control.js'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { actOnMany, aPage, buying, hostile, putQuestion, shownViews, type APage } from './a-page.js'

const path = await anyBrowserPath()

/** The folder for pictures of every view, to be looked at. */
const pictures = process.env['PAGE_PICTURES']

/** The rule that dark colours can break. Names, roles and order are the same in light colours. */
const contrast = `{ runOnly: ['color-contrast'] }`

/** Returns what axe finds in the page, as "rule: element". The text that is returned is short enough to read. */
const lookFor = (
  rules: string,
): string => `axe.run(document, ${rules}).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
  nodes.map(({ html, any, all, none }) =>
    id + ': ' + html.slice(0, 160) + ' ' + [...any, ...all, ...none].map(({ message }) => message).join('; '))))`
const look = lookFor('{}')

/** No view may begin to be examined before its data are shown. */
const isLoaded = `document.querySelector('main h1') && document.querySelector('.panel, table') &&
  ![...document.querySelectorAll('.quiet, .number')].some((one) => one.textContent === '…')`

describe.skipIf(path === null)('the page for people with assistive technology', () => {
  let store: APage
  let browser: Browser
  let page: Page
  /** The texts with markup that views show: ids, reasons, notes and names. */
  const namesOfPeople = new Map([
    ['/inbox', [`bad ${hostile}`, `ann ${hostile}`]],
    ['/jobs', [`bad ${hostile}`]],
    ['/limits', [`slow ${hostile}`]],
    ['/pauses', [`printer ${hostile}`, `no paper ${hostile}`]],
    ['/audit', [`slow ${hostile}`]],
  ])

  beforeAll(async () => {
    const wanted = { counts: { agents: 2, scheduler: 1 }, isByRole: true, problem: null }
    store = await aPage(undefined, { ...(await fleetControl({})), wanted: () => Promise.resolve(wanted) })
    browser = await Browser.open(path ?? '')
    for (const [jobId, isRefused] of [
      ['order-0', true],
      ['order-1', false],
      [`bad ${hostile}`, true],
    ] as const) {
      await store.host.client.submit(buying, { jobId, isRefused, amount: 7 }, { jobId })
      const kind = isRefused ? 'attention.raised' : 'step.settled'
      await store.telemetry.waitFor(kind, (event) => 'jobId' in event && event.jobId === jobId)
    }
    await store.host.client.triage('order-0', { assignee: `ann ${hostile}`, note: hostile, by: hostile })
    await putQuestion(store, 'claim-0')
    await actOnMany(store)
    page = await browser.visit(store.address())
    await page.until(`document.querySelector('header nav')`)
  })
  afterAll(async () => {
    await browser.close()
    await store.close()
  })

  /** Returns what axe finds in light and dark colours, in windows of a telephone, a desk and a large screen. */
  async function found(name?: string): Promise<string[]> {
    const all: string[] = []
    for (const colours of ['light', 'dark']) {
      const rules = colours === 'dark' ? lookFor(contrast) : look
      // The rules of the style sheet are the same for 1280 and 1920 pixels, so colours are too.
      for (const width of colours === 'dark' ? [390, 1280] : [390, 1280, 1920]) {
        await page.look({ width, height: 1080, isDark: colours === 'dark' })
        const violations = await page.evaluate<string[]>(rules)
        all.push(...violations.map((one) => `${colours}, ${width}: ${one}`))
        if (pictures === undefined || name === undefined) continue
        await mkdir(pictures, { recursive: true })
        await writeFile(join(pictures, `${name}-${width}-${colours}.png`), await page.picture())
      }
    }
    return all
  }

  /** Returns the widths of windows in which the view must be scrolled sideways. */
  async function tooNarrow(): Promise<number[]> {
    const all: number[] = []
    for (const width of [320, 390, 1280, 1920]) {
      await page.look({ width, height: 844, isDark: false })
      if ((await page.evaluate<number>('document.documentElement.scrollWidth')) > width) all.push(width)
    }
    return all
  }

  /** Opens a view, and brings axe into it. The protocol of the browser is outside of the page's policy. */
  async function open(view: string): Promise<void> {
    await page.look({ width: 320, height: 844, isDark: false })
    await page.begin(`${store.origin}${view}`)
    await page.until(isLoaded)
    await page.evaluate(`${axe.source}; null`)
  }

  it.each([
    ...shownViews,
    ['/jobs?state=Error', 'jobs-error'] as const,
    ['/job?jobId=order-1', 'job-waiting'] as const,
  ])(
    '%s has no violations in light and dark colours, fits into windows from 320 pixels, and shows markup as text',
    async (view, name) => {
      await open(view)
      expect(await tooNarrow()).toEqual([])
      expect(await found(name)).toEqual([])
      const main = `document.querySelector('main')`
      const parts = namesOfPeople.get(view) ?? []
      expect(
        await page.evaluate(`${JSON.stringify(parts)}.filter((one) => !${main}.textContent.includes(one))`),
      ).toEqual([])
      expect(await page.evaluate(`${main}.querySelectorAll('img').length`)).toBe(0)
      expect(page.complaints).toEqual([])
    },
  )

  it.each([
    ['/job?jobId=order-0', 'Cancel'],
    ['/job?jobId=order-1', 'Raise event'],
    ['/inbox', 'Answer'],
    ['/inbox', 'Triage all 2'],
    ['/schedules?schedule=counting', 'Backfill'],
    ['/schedules?schedule=counting', 'Delete'],
    ['/schedules?schedule=counting', 'Define'],
    ['/schedules', 'Define'],
    ['/job?jobId=order-0', 'Restart from a step'],
    ['/pauses', 'Pause a workflow, an agent or a key'],
    ['/fleet', 'Scale'],
    ['/fleet', 'Rebalance'],
  ])('the dialog of %s, %s, has no violations in light and dark colours', async (view, button) => {
    await open(view)
    await page.evaluate(
      `[...document.querySelectorAll('button')].find((one) => one.textContent.trim() === '${button}').click()`,
    )
    await page.until(`document.querySelector('dialog[open]')`)
    expect(await found()).toEqual([])
  })

  it.each([
    ['of a browser that is not signed in', '/jobs', 'not signed in'],
    ['of an address without a view', '/nonsense', 'There is no such view'],
  ])('the view %s has none', async (_what, view, said) => {
    const isSignedIn = view === '/nonsense'
    const other = isSignedIn
      ? await page.beside(`${store.origin}${view}`)
      : await browser.visit(`${store.origin}${view}`)
    await other.until(`document.body.textContent.includes('${said}')`)
    await other.evaluate(`${axe.source}; null`)
    for (const isDark of [false, true]) {
      for (const width of [390, 1280, 1920]) {
        await other.look({ width, height: 1080, isDark })
        expect(await other.evaluate(isDark ? lookFor(contrast) : look)).toEqual([])
      }
    }
  })

  it('reports a control without a name', async () => {
    await open('/jobs')
    await page.evaluate(`document.querySelector('main').append(document.createElement('button'))`)
    expect(await page.evaluate(look)).toEqual([expect.stringMatching(/^button-name: /)])
  })
})
