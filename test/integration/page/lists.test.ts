import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { aPage, ask, buying, type APage } from './a-page.js'
import { clickOn, control } from './controls.js'

const path = await anyBrowserPath()

/** Returns a script that changes the answers of the server at a path, by an expression of `answer`. */
const changing = (asked: string, changed: string): string => `(() => {
  const real = fetch
  window.fetch = async (path, init) => {
    const response = await real(path, init)
    if (!String(path).startsWith('${asked}')) return response
    const answer = await response.json()
    return new Response(JSON.stringify(${changed}), { status: response.status })
  }
})()`

const text = `document.querySelector('main').textContent`
const isLive = `document.querySelector('.live')?.textContent === 'live'`
const rows = `document.querySelectorAll('table.jobs tbody tr').length`

describe('an address without a view', () => {
  let store: APage

  beforeAll(async () => {
    store = await aPage()
  })
  afterAll(() => store.close())

  it('gets the page with status 404 in a browser, and JSON in a program or in the API', async () => {
    const asBrowser = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }
    const shown = await ask(`${store.origin}/nonsense`, asBrowser)
    expect([shown.status, shown.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    expect(shown.text).toBe((await ask(`${store.origin}/`)).text)
    for (const [address, headers] of [
      ['/nonsense', {}],
      ['/nonsense', { accept: '*/*' }],
      ['/api/nonsense', asBrowser.headers],
    ] as const) {
      const { status, text: said } = await store.get(address, headers)
      expect([status, JSON.parse(said)]).toMatchObject([404, { error: { name: 'NotFound' } }])
    }
    expect((await ask(`${store.origin}/nonsense`, { ...asBrowser, method: 'POST' })).status).toBe(415)
  })
})

describe.skipIf(path === null)('the lists of the page', () => {
  let store: APage
  let browser: Browser
  let first: Page
  let page: Page

  beforeAll(async () => {
    store = await aPage()
    browser = await Browser.open(path ?? '')
    const ids = Array.from({ length: 120 }, (_, index) => `job-${index}`)
    for (const jobId of ids) await submit(jobId)
    first = await browser.visit(store.address())
    await first.until(isLive)
  })
  afterAll(async () => {
    await browser.close()
    await store.close()
  })
  beforeEach(async () => {
    page = await first.beside('about:blank')
  })

  const submit = (jobId: string, isRefused = false) =>
    store.host.client.submit(buying, { jobId, isRefused, amount: 7 }, { jobId })

  async function open(view: string, script?: string): Promise<void> {
    if (script !== undefined) await page.beforeModules(script)
    await page.begin(`${store.origin}${view}`)
    await page.until(`${isLive} && document.querySelector('h1')`)
  }

  it('the list of jobs keeps its number of rows when it shows new jobs or what has changed', async () => {
    await open('/jobs')
    await page.until(`${rows} === 50`)
    await clickOn(page, 'More jobs')
    await page.until(`${rows} === 100`)
    await submit('fresh')
    await clickOn(page, 'Show 1 new job')
    await page.until(control('fresh'))
    expect(await page.evaluate(rows)).toBe(100)
    const reads = `performance.getEntriesByType('resource').filter(({ name }) => name.includes('limit=100')).length`
    const before = await page.evaluate<number>(reads)
    for (const kind of ['pagehide', 'pageshow']) {
      await page.evaluate(`dispatchEvent(new PageTransitionEvent('${kind}', { persisted: true }))`)
    }
    await clickOn(page, 'Show what has changed')
    await page.until(`${control('Show what has changed')} === undefined`)
    await page.until(`${reads} > ${before}`)
    expect(await page.evaluate(rows)).toBe(100)
    // The rows continue where the list ends.
    await clickOn(page, 'More jobs')
    await page.until(`${rows} === 121 && ${control('More jobs')} === undefined`)
    expect(page.complaints).toEqual([])
  })

  it('the list of jobs begins with one page after another filter was chosen', async () => {
    await open('/jobs')
    await page.until(`${rows} === 50`)
    await clickOn(page, 'More jobs')
    await page.until(`${rows} === 100`)
    await page.evaluate(`(() => {
      const field = document.querySelector('.filters [name="workflow"]')
      field.value = 'buying'
      field.dispatchEvent(new Event('change', { bubbles: true }))
    })()`)
    await page.until(`location.search === '?workflow=buying' && ${rows} > 0`)
    expect(await page.evaluate(rows)).toBe(50)
  })

  it('a misspelt filter in the address is named, and no list is shown', async () => {
    await open('/jobs?stat=Error&workflow=buying')
    const problem = `document.querySelector('main .problem')?.textContent`
    expect(await page.until<string>(problem)).toMatch(
      /unknown field "stat".*: the fields are workflow, state,/,
    )
    expect(await page.evaluate(`${rows} + document.querySelectorAll('.charge, .toolbar').length`)).toBe(0)
  })

  it('an address without a view says so, and leads to the views', async () => {
    await open('/nonsense?x=1')
    expect(await page.evaluate(text)).toMatch(/^There is no such view.*\/nonsense/s)
    await page.evaluate(`document.querySelector('main a[href="/limits"]').click()`)
    await page.until(`location.pathname === '/limits' && document.querySelector('table.limits')`)
  })

  it('a person without the role Operator sees no form for dead letters', async () => {
    const form = `document.querySelector('[name="deadLetters"]')`
    const without = `{ ...answer, may: answer.may.filter((one) => one !== 'dead-letters') }`
    await open('/leases?deadLetters=poison', changing('/api/about', without))
    await page.until(`${text}.includes('Only people with the role Operator see them')`)
    expect(await page.evaluate(`${form} === null`)).toBe(true)
    const asked = `performance.getEntriesByType('resource').some(({ name }) => name.includes('/api/dead-letters'))`
    expect(await page.evaluate(asked)).toBe(false)
    page = await first.beside('about:blank')
    await open('/leases')
    await page.until(form)
  })

  it('the dialog of an action opens when the page knows the person, also if the first request fails', async () => {
    const failingFirst = `(() => {
      const real = fetch
      window.asked = 0
      window.fetch = async (path, init) => {
        if (path !== '/api/about') return real(path, init)
        window.asked += 1
        if (window.asked === 1) throw new TypeError('the connection was reset')
        const answer = real(path, init)
        await new Promise((release) => (window.release = release))
        return answer
      }
      const later = setTimeout
      window.setTimeout = (action, ms) => later(action, ms === 5000 ? 0 : ms)
    })()`
    await page.beforeModules(failingFirst)
    await page.begin(`${store.origin}/schedules`)
    await clickOn(page, 'Define')
    await page.until('window.asked === 2 && window.release')
    expect(await page.evaluate(`document.querySelector('dialog')`)).toBeNull()
    await page.evaluate('window.release()')
    const command = await page.until(`document.querySelector('dialog[open] .command code')?.textContent`)
    expect(command).toContain('--by ada')
    page = await first.beside('about:blank')
  })

  it('the finding of an open circuit leads to the jobs whose attempts failed', async () => {
    const finding = {
      rule: 'openCircuit',
      severity: 'hint',
      processorName: 'a',
      observation: 'o',
      advice: 'b',
    }
    await open('/leases', changing('/api/findings', JSON.stringify([{ ...finding, agent: 'a b' }])))
    await clickOn(page, 'jobs whose step of agent a b waits for its next attempt')
    await page.until(`location.pathname === '/jobs'`)
    expect(await page.evaluate('location.search')).toBe('?agent=a+b&waitingFor=retry')
    await page.until(`${text}.includes('No job matches.')`)
    expect(await page.evaluate(`document.querySelector('.filters [name="agent"]').value`)).toBe('a b')
  })

  it('the card of a group shows all of its jobs, and no others', async () => {
    const ids = Array.from({ length: 14 }, (_, index) => `refused-${index}`)
    for (const jobId of ids) await submit(jobId, true)
    for (const id of ids) await store.telemetry.waitFor('attention.raised', ({ jobId }) => jobId === id)
    await open('/inbox')
    await clickOn(page, 'and 2 more')
    const shown = `[...document.querySelectorAll('.group .ids a')].map((one) => one.textContent)`
    expect((await page.evaluate<string[]>(shown)).toSorted()).toEqual(ids.toSorted())
    await clickOn(page, 'Show fewer')
    await page.until(`${shown}.length === 12`)
  })
})

describe.skipIf(path === null)('the inbox while no role runs', () => {
  it('shows the group of roles in words, and counts no jobs of it', async () => {
    const store = await aPage()
    const browser = await Browser.open(path ?? '')
    try {
      await store.host.client.submit(
        buying,
        { jobId: 'open', isRefused: false, amount: 7 },
        { jobId: 'open' },
      )
      await store.telemetry.waitFor('step.settled', ({ stepId }) => stepId === 'pay')
      await store.host.stop()
      const page = await browser.visit(store.address())
      await page.until(isLive)
      await clickOn(page, 'Inbox')
      const group = await page.until<string>(`document.querySelector('.group')?.textContent`)
      expect(group).toContain('1 job has not ended, and no instance runs the roles')
      expect(group).toContain('a role is missing')
      expect(group).not.toMatch(/0 jobs|the oldest/)
      expect(page.complaints).toEqual([])
    } finally {
      await browser.close()
      await store.close()
    }
  })
})
