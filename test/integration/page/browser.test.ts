import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { clickOn, closeDialog, control, typeInto } from './controls.js'
import { actOnMany, aPage, buying, following, hostile, putQuestion, type APage } from './a-page.js'

const path = await anyBrowserPath()
if (path === null) console.warn('No Chromium runs on this machine, so the page is not tested in a browser.')

describe.skipIf(path === null)('the page in a browser', () => {
  let store: APage
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    store = await aPage()
    browser = await Browser.open(path ?? '')
    for (let count = 0; count < 6; count += 1) await submit(`order-${count}`, count % 3 === 0)
    await submit(`bad ${hostile}`, true)
    await putQuestion(store, 'claim-0')
    await actOnMany(store)
    page = await browser.visit(store.address())
    await page.until(`document.querySelector('header nav')`)
  })
  afterAll(async () => {
    await browser.close()
    await store.close()
  })
  // All tests share a tab, because each open tab follows the changes that the tests cause.
  beforeEach(() => {
    page.complaints.length = 0
  })

  async function submit(jobId: string, isRefused: boolean): Promise<void> {
    await store.host.client.submit(buying, { jobId, isRefused, amount: 7 }, { jobId })
    if (isRefused) await store.telemetry.waitFor('attention.raised', (event) => event.jobId === jobId)
    else
      await store.telemetry.waitFor(
        'step.settled',
        (event) => event.jobId === jobId && event.stepId === 'pay',
      )
  }

  async function open(view: string): Promise<void> {
    await page.begin(`${store.origin}${view}`)
    await page.until(`document.querySelector('h1')`)
  }

  const click = (text: string): Promise<void> => clickOn(page, text)
  const type = (field: string, text: string): Promise<void> => typeInto(page, field, text)
  /** Fills in a field that is a part of the view's address. */
  const filter = async (name: string, value: string): Promise<void> => {
    await page.evaluate(`(() => {
      const field = document.querySelector('.filters [name="${name}"]')
      field.value = ${JSON.stringify(value)}
      field.dispatchEvent(new Event('change', { bubbles: true }))
    })()`)
    await page.until(`new URLSearchParams(location.search).get('${name}') === ${JSON.stringify(value)}`)
  }

  it('signs in, takes the token out of the address, and connects', async () => {
    expect(await page.evaluate('location.href')).toBe(`${store.origin}/`)
    await page.until(`document.querySelector('.live')?.textContent === 'live'`)
    expect(await page.evaluate('document.cookie')).toBe('')
    expect(page.complaints).toEqual([])
  })

  it('Now: every number leads to its list, and changes appear as they happen', async () => {
    await page.until(`document.querySelector('.live')?.textContent === 'live'`)
    await page.until(
      `[...document.querySelectorAll('.number')].every((one) => /^\\d+$/.test(one.textContent))`,
    )
    // The job of claims waits for an answer.
    expect(await page.evaluate(`document.querySelector('a.tile[href="/inbox"]').textContent`)).toMatch(
      /need you, 1 of them a question/,
    )
    await submit('seen-live', false)
    await page.until(control('seen-live'))
    await page.evaluate(`document.querySelector('a.tile[href="/jobs?state=Error"]').click()`)
    await page.until(`location.search === '?state=Error' && ${control('order-0')}`)
    expect(page.complaints).toEqual([])
  })

  it('Jobs: filters are in the address, and rows change in place', async () => {
    // The list reads again when the stream opens, so the stream is open before.
    await open('/')
    await page.until(`document.querySelector('.live')?.textContent === 'live'`)
    await page.evaluate(`document.querySelector('a.tile[href="/jobs?state=Processing"]').click()`)
    await page.until(`location.search === '?state=Processing' && ${control('order-1')}`)
    expect(await page.evaluate(`${control('order-0')} === undefined`)).toBe(true)
    await store.host.client.raiseEvent('order-1', 'delivery')
    await page.until(`${control('order-1')}.closest('tr').textContent.includes('Processed')`)
    expect(page.complaints).toEqual([])
  })

  it('Jobs: filters by text, tag, wait and time; the list says what its query cost', async () => {
    await open('/jobs')
    await page.until(control('order-4'))
    await filter('text', 'ORDER-')
    await page.until(`${control('claim-0')} === undefined && ${control('order-0')}`)
    await filter('waitingFor', 'event')
    await page.until(`${control('order-0')} === undefined && ${control('order-4')}`)
    expect(await page.until<string>(`document.querySelector('.charge')?.textContent`)).toMatch(
      /^\d+ jobs? shown, read for \d+(\.\d+)? RU\.$/,
    )
    await page.look({ width: 390, height: 844, isDark: false })
    const shown = `[...document.querySelectorAll('.filters label')]
      .filter((one) => one.offsetParent !== null).map((one) => one.querySelector('input, select').name)`
    expect(await page.evaluate(shown)).toEqual(['job', 'text', 'waitingFor'])
    await click('Filters')
    await page.until(`${shown}.includes('tag')`)
    await page.look({ width: 1280, height: 1080, isDark: false })
    await filter('tag', 'customer=none')
    await page.until(`document.querySelector('.empty')?.textContent === 'No job matches.'`)
    await open('/jobs?waitingFor=question')
    await page.until(`${control('claim-0')} && ${control('order-4')} === undefined`)
    await click('Cancel')
    await page.until(`document.querySelector('dialog[open]')`)
    expect(await page.evaluate(`document.querySelector('dialog code').textContent`)).toContain(
      'stepward cancel --waiting-for question --why TEXT --by ada',
    )
    expect(page.complaints).toEqual([])
  })

  it('Jobs: an action on ticked jobs can be tried first without a reason, asks for one, and lists refusals', async () => {
    await open('/jobs')
    await page.until(control('order-2'))
    for (const jobId of ['order-2', 'order-3']) {
      await page.evaluate(`document.querySelector('[aria-label="Choose ${jobId}"]').click()`)
    }
    await page.until(control('Resubmit'))
    await page.evaluate(`${control('Resubmit')}.focus()`)
    await page.press('Enter')
    await page.until(`document.querySelector('dialog[open]')`)
    expect(await page.evaluate('document.activeElement.name')).toBe('why')
    expect(await page.evaluate(`document.querySelector('dialog button.primary').disabled`)).toBe(true)
    expect(await page.evaluate(`document.querySelector('dialog .buttons').textContent`)).toContain(
      'Give the reason.',
    )
    const copy = `document.querySelector('dialog .command button')`
    expect(await page.evaluate(`${copy}.disabled`)).toBe(true)
    await click('Dry run')
    const said = await page.until<string>(`document.querySelector('.result')?.textContent`)
    expect(said).toContain('1 job would accept this; nothing was written, 1 refused')
    // The test keeps the timers of some seconds, and ends them itself.
    await page.evaluate(`(() => {
      Object.defineProperty(navigator, 'clipboard', { value: { writeText: async () => undefined }, configurable: true })
      const start = window.setTimeout
      window.late = []
      window.setTimeout = (run, ms, ...more) => ms === 3e3 ? window.late.push(run) : start(run, ms, ...more)
    })()`)
    await type(`document.querySelector('dialog input')`, 'a card')
    await page.until(`!${copy}.disabled`)
    await page.evaluate(`${copy}.click()`)
    await page.until(`${copy}.textContent === 'Copied' && window.late.length > 0`)
    await type(`document.querySelector('dialog input')`, "the customer's card")
    await page.until(`${copy}.textContent === 'Copy as command'`)
    await page.evaluate(`window.late = []`)
    await page.evaluate(`${copy}.click()`)
    await page.until(`${copy}.textContent === 'Copied' && window.late.length > 0`)
    await page.evaluate(`window.late[0]()`)
    await page.until(`${copy}.textContent === 'Copy as command'`)
    await page.until(`!document.querySelector('dialog button.primary').disabled`)
    expect(await page.evaluate(`document.querySelector('dialog code').textContent`)).toContain(
      `stepward resubmit --why 'the customer'\\''s card' --by ada order-2`,
    )
    expect((await (await store.host.client.get('order-3'))?.view())?.audit).toEqual([])
    const focused = 'document.activeElement.textContent.trim()'
    await closeDialog(page)
    expect(await page.evaluate(focused)).toBe('Resubmit')
    await page.press('Enter')
    await page.until(`document.querySelector('dialog[open]')`)
    await click('Close')
    await page.until(`document.querySelector('dialog') === null`)
    expect(await page.evaluate(focused)).toBe('Resubmit')
    expect(page.complaints).toEqual([])
  })

  it('Job: graph, attempts and timeline; an action is kept with the name of the person', async () => {
    await open('/job?jobId=order-3')
    await page.until(`document.querySelectorAll('.graph .node').length === 3`)
    expect(await page.evaluate(`document.querySelectorAll('.graph .edge').length`)).toBe(2)
    expect(await page.evaluate(`document.querySelector('#step h2').textContent`)).toBe('Step pay')
    expect(await page.evaluate(`document.querySelector('.timeline').textContent`)).toContain(
      'attempt 1 failed',
    )
    await click('Cancel')
    await click('Dry run')
    const plan = `[...document.querySelectorAll('.result li')].map((one) => one.textContent)`
    await page.until(`${plan}.length > 0`)
    expect(await page.evaluate(plan)).toEqual(['stopped: none', 'undone: none', 'effects stay: check'])
    await type(`document.querySelector('dialog input')`, 'withdrawn')
    await page.until(`!document.querySelector('dialog button.primary').disabled`)
    await page.evaluate(`document.querySelector('dialog button.primary').click()`)
    await page.until(`document.body.textContent.includes('cancel by ada')`)
    const view = await (await store.host.client.get('order-3'))?.view()
    expect(view?.audit).toMatchObject([{ command: 'cancel', by: 'ada', why: 'withdrawn' }])
    await closeDialog(page)
    expect(page.complaints).toEqual([])
  })

  it('Job: shows the rounds of a step, a step that was left out, and how far another is', async () => {
    await store.host.client.submit(following, {}, { jobId: 'following-1' })
    await open('/job?jobId=following-1&step=wait')
    await page.until(`document.querySelector('#step')?.textContent.includes('2 of 5: letters <img')`)
    expect(await page.evaluate(`document.querySelectorAll('.graph .node.state-refused').length`)).toBe(1)
    await open('/job?jobId=following-1&step=follow')
    await page.until(`document.querySelector('#step')?.textContent.includes('2 of at most 9')`)
    expect(await page.evaluate(`document.querySelector('#step .badge').textContent`)).toContain('Refused')
    expect(page.complaints).toEqual([])
  })

  it('Job: raises the event that a step waits for', async () => {
    await open('/job?jobId=order-4')
    await click('Raise event')
    await type(`document.querySelector('dialog textarea')`, '{"at":"noon"}')
    await page.evaluate(`document.querySelector('dialog button.primary').click()`)
    await page.until(`document.querySelector('.job-head')?.textContent.includes('Processed')`)
    expect(page.complaints).toEqual([])
  })

  it('Inbox and Leases show groups with advice, and the owners of leases', async () => {
    await open('/inbox')
    await page.until(
      `document.querySelector('.group:not(.question)')?.textContent.includes('stepward resubmit')`,
    )
    await open('/leases')
    await page.until(`document.querySelectorAll('table.leases tbody tr').length >= 4`)
    expect(page.complaints).toEqual([])
  })

  it('Cost: what the command computes, and what the page has used', async () => {
    await open('/cost?steps=5')
    const computed = `[...document.querySelectorAll('.tiles')].at(-1)?.querySelectorAll('.tile .number')`
    await page.until(`document.querySelectorAll('.tiles').length === 2 && ${computed}.length === 4`)
    expect(await page.evaluate(`[...document.querySelectorAll('.command code')].at(-1).textContent`)).toBe(
      'stepward cost --steps 5',
    )
    const { jobs, workflows } = JSON.parse((await store.get('/api/cost?steps=5')).text) as {
      jobs: { together: { totalCharge: number } }
      workflows: object[]
    }
    expect(workflows).toMatchObject([
      { name: 'buying', steps: 3 },
      { name: 'packing', steps: 1 },
    ])
    expect(await page.evaluate(`${computed}[2].textContent`)).toBe(
      String(Math.round(jobs.together.totalCharge)),
    )
    await page.until(
      `[...document.querySelectorAll('.numbers td')].some((one) => one.textContent === 'state.listJobs')`,
    )
    expect((await store.get('/api/cost?steps=0')).status).toBe(400)
    expect(page.complaints).toEqual([])
  })

  it('Tail: changes as they happen, by a filter in the address, held and continued', async () => {
    await open('/tail?text=tailed-1')
    await page.until(`document.querySelector('.live')?.textContent === 'live'`)
    await submit('tailed-0', false)
    await submit('tailed-1', false)
    await page.until(`document.querySelector('.tail')?.textContent.includes('job of buying')`)
    expect(await page.evaluate(`document.querySelector('.tail').textContent.includes('tailed-0')`)).toBe(
      false,
    )
    await click('Hold')
    await page.until(control('Continue, 0 changes wait'))
    const before = await page.evaluate<number>(`document.querySelectorAll('.tail li').length`)
    await store.host.client.raiseEvent('tailed-1', 'delivery')
    await page.until(
      `[...document.querySelectorAll('button')].some((one) => /Continue, [1-9]/.test(one.textContent))`,
    )
    expect(await page.evaluate(`document.querySelectorAll('.tail li').length`)).toBe(before)
    await page.evaluate(
      `[...document.querySelectorAll('button')].find((one) => one.textContent.includes('Continue')).click()`,
    )
    await page.until(`document.querySelector('.tail').textContent.includes('Processed')`)
    expect(page.complaints).toEqual([])
  })

  it('Leases: the lag while the view is open, in words and colours', async () => {
    await open('/leases')
    await page.until(`document.querySelectorAll('.heat li').length === 4`)
    expect(await page.evaluate(`document.querySelector('.heat-cells').getAttribute('aria-label')`)).toMatch(
      /^at most \d+ behind, now \d+$/,
    )
    expect(page.complaints).toEqual([])
  })

  it('a hidden tab gives its stream back, and shows what has changed when it is visible again', async () => {
    const show = (state: string): Promise<unknown> =>
      page.evaluate(`(() => {
        Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      })()`)
    await open('/jobs')
    await page.until(`document.querySelector('.live')?.textContent === 'live'`)
    await show('hidden')
    await page.until(`document.querySelector('.live').textContent === 'not connected'`)
    await store.host.client.submit(
      buying,
      { jobId: 'while-hidden', isRefused: false, amount: 1 },
      { jobId: 'while-hidden' },
    )
    await show('visible')
    await page.until(`document.querySelector('.live').textContent === 'live'`)
    await page.until(`${control('while-hidden')} || document.body.textContent.includes('new job')`)
    expect(page.complaints).toEqual([])
  })

  it('Leases: the dead letters of a container that is named', async () => {
    const { container } = await store.store
      .client()
      .database('stepward')
      .containers.create({ id: 'poison', partitionKey: '/id' })
    await container.items.create({
      ...{ id: '0~1~J-9', leaseToken: '0', documentId: '<b>J-9</b>', change: null },
      error: {
        name: 'RangeError',
        message: 'no price <img src=x onerror="document.title=String(1)">',
        stack: null,
      },
    })
    await open('/leases')
    await page.until(`document.querySelector('[name="deadLetters"]')`)
    await filter('deadLetters', 'poison')
    await page.until(`document.body.textContent.includes('<b>J-9</b>')`)
    expect(await page.evaluate('location.search')).toBe('?deadLetters=poison')
    // The message may contain secret values of the document, so no browser gets it.
    expect(await page.evaluate('document.body.textContent')).toContain('RangeError')
    expect(await page.evaluate('document.body.textContent')).not.toContain('no price')
    expect(await page.evaluate('document.title')).not.toBe('1')
    expect((await store.get('/api/dead-letters?container=a%2Fb')).text).toContain(
      'container \\"a/b\\" must contain none of / ',
    )
    const { database: other } = await store.store.client().databases.create({ id: 'other' })
    const { container: theirs } = await other.containers.create({ id: 'poison', partitionKey: '/id' })
    for (const [id, name] of [
      ['K-1', 'RangeError'],
      ['K-2', 'TypeError'],
      ['K-3', 'TypeError'],
    ] as const) {
      await theirs.items.create({ ...{ id, leaseToken: '0', documentId: id }, error: { name, message: '' } })
    }
    await filter('database', 'other')
    const groups = `[...document.querySelectorAll('main details summary')].map((one) => one.textContent)`
    await page.until(`${groups}.includes('TypeError 2 changes') && ${groups}.includes('RangeError 1 change')`)
    expect(await page.evaluate('document.body.textContent')).toMatch(
      /stepward dead-letters .*--database other -- poison/,
    )
    await open('/leases?deadLetters=poisons')
    await page.until(`document.body.textContent.includes('container "poisons" does not exist')`)
    expect(page.complaints.every((text) => text.includes('/api/dead-letters'))).toBe(true)
  })

  it('Fleet: the instance with its version, roles and ranges', async () => {
    await open('/fleet')
    const said = await page.until<string>(`document.querySelector('.cards .panel')?.textContent`)
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string }
    expect(said).toContain(`version ${version}`)
    for (const role of ['scheduler', 'agents', 'supervisor', 'notifier']) {
      expect(said).toContain(`stepward-${role}1 range: 0`)
    }
    expect(said).toMatch(/4 leases, renewed .* ago/)
    expect(said).toMatch(/\d of \d+ slots busy/)
    expect(said).toContain('Its clock agrees with the store.')
    expect(page.complaints).toEqual([])
  })

  it('Now: the steps that fail and the pace in request units lead to their lists', async () => {
    await open('/')
    const panel = `[...document.querySelectorAll('.panel')].find((one) => one.textContent.includes('Failing operations'))`
    await page.until(`${panel}?.querySelector('li')`)
    const [first] = await page.evaluate<string[]>(
      `[...${panel}.querySelectorAll('li')].map((one) => one.textContent)`,
    )
    expect(first).toMatch(/^buying, pay\s*\d+ jobs, such as: step pay: the card is refused/)
    await page.until(`${panel}.textContent.includes('next attempt')`)
    await page.until(`/RU a second, computed\\s*[\\d.]+/.test(document.body.textContent)`)
    await page.evaluate(`${panel}.querySelector('li a').click()`)
    await page.until(`location.pathname === '/jobs' && document.querySelector('tbody tr')`)
    expect(await page.evaluate('location.search')).toBe('?workflow=buying&step=pay&attention=true')
    expect(page.complaints).toEqual([])
  })

  it('Now: an equal finding of several roles is one entry that names them', async () => {
    const stopped = await aPage()
    try {
      await stopped.host.stop()
      const view = await browser.visit(stopped.address())
      await view.until(`document.querySelector('.findings li')`)
      const entries = await view.evaluate<string[]>(
        `[...document.querySelectorAll('.findings li')].map((one) => one.textContent)
          .filter((text) => text.includes('no instance runs'))`,
      )
      const findings = JSON.parse((await stopped.get('/api/findings')).text) as { rule: string }[]
      expect(findings.filter(({ rule }) => rule === 'notRunning').length).toBeGreaterThan(1)
      expect(entries).toEqual([expect.stringMatching(/notRunning of [^,]+(, [^,]+)+no instance runs/)])
      expect(view.complaints).toEqual([])
    } finally {
      await stopped.close()
    }
  })

  it('hostile ids and messages are shown as text, and nothing of them runs', async () => {
    for (const view of [
      '/inbox',
      '/jobs',
      `/job?jobId=${encodeURIComponent(`bad ${hostile}`).replaceAll('%20', '+')}`,
    ]) {
      await open(view)
      await page.until(`document.querySelector('main').textContent.includes('<img src=x')`)
      expect(await page.evaluate(`document.querySelectorAll('main img').length`)).toBe(0)
      expect(await page.evaluate('document.title')).not.toBe('1')
    }
    expect(page.complaints).toEqual([])
  })

  it('a browser without a session is told how to sign in', async () => {
    const other = await browser.visit(`${store.origin}/jobs`)
    await other.until(`document.body.textContent.includes('not signed in')`)
  })
})
