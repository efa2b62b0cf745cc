import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { aPage, buying, type APage } from './a-page.js'
import { clickOn, control } from './controls.js'

const path = await anyBrowserPath()

/** Holds back the answers of the list until the test releases them. They are read from the server at once. */
const holding = `(() => {
  const real = fetch
  window.held = []
  window.isHolding = false
  window.fetch = async (path, init) => {
    const answer = await real(path, init)
    const text = await answer.text()
    if (window.isHolding && String(path).startsWith('/api/jobs')) {
      await new Promise((release) => window.held.push(release))
    }
    return new Response(text, { status: answer.status, headers: answer.headers })
  }
})()`

const release = `(() => { window.isHolding = false; for (const one of window.held.splice(0)) one() })()`
const isHeld = `window.held.length > 0`

describe.skipIf(path === null)('a change that comes while the list of jobs is read', () => {
  let store: APage
  let browser: Browser
  let page: Page
  /** Another tab of the same browser. A change that it shows has reached the other tab, too. */
  let tail: Page

  beforeAll(async () => {
    store = await aPage()
    browser = await Browser.open(path ?? '')
    tail = await browser.visit(store.address())
    await tail.until(`document.querySelector('header nav')`)
    await tail.begin(`${store.origin}/tail`)
    page = await tail.beside('about:blank')
    await page.beforeModules(holding)
    for (const one of [tail, page]) {
      await one.begin(`${store.origin}${one === tail ? '/tail' : '/limits'}`)
      await one.until(`document.querySelector('.live')?.textContent === 'live'`)
    }
  })
  afterAll(async () => {
    await browser.close()
    await store.close()
  })

  const submit = (jobId: string) =>
    store.host.client.submit(buying, { jobId, isRefused: false, amount: 7 }, { jobId })
  const isTold = (text: string): Promise<unknown> =>
    tail.until(`document.querySelector('.tail')?.textContent.includes('${text}')`)

  it('is announced after the first read', async () => {
    await submit('before')
    await isTold('before')
    await page.evaluate('window.isHolding = true')
    await clickOn(page, 'Jobs')
    await page.until(isHeld)
    await submit('meanwhile')
    await isTold('meanwhile')
    await page.evaluate(release)
    await page.until(control('before'))
    await clickOn(page, 'Show 1 new job')
    await page.until(control('meanwhile'))
  })

  it('is shown in its row after the list was read again', async () => {
    await submit('third')
    await page.until(control('Show 1 new job'))
    await page.evaluate('window.isHolding = true')
    await clickOn(page, 'Show 1 new job')
    await page.until(isHeld)
    await store.host.client.cancel('before', 'not wanted')
    const row = `${control('before')}.closest('tr').textContent`
    await page.until(`${row}.includes('Compensated')`)
    await page.evaluate(release)
    await page.until(control('third'))
    expect(await page.evaluate(row)).toContain('Compensated')
    expect(page.complaints).toEqual([])
  })
})
