import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi, type Mock } from 'vitest'
import { connect, type ConnectedClient } from '../../../src/connection/index.js'
import { provision } from '../../../src/connection/internal.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { Sessions } from '../../../src/page/door/sessions.js'
import { servePage, type ServedPage } from '../../../src/page/index.js'
import { FeedFollower } from '../../../src/page/live/feed-follower.js'
import { Viewers } from '../../../src/page/live/viewers.js'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { buying } from './a-page.js'

const path = await anyBrowserPath()

const shown = `document.querySelector('.live')?.textContent`
const isLive = `${shown} === 'live'`
const isTroubled = `${shown}?.includes('the store does not answer')`
/** A limit for what hangs. */
const soon = { timeout: 60_000 }
const isSignedOut = `document.body.textContent.includes('not signed in')`

describe.skipIf(path === null)('the tabs of a browser', () => {
  let emulator: Emulator
  let jobs: ConnectedClient
  let browser: Browser
  let served: ServedPage
  let isSignedIn: boolean
  let known: Mock<Sessions['isOpen']>
  let added: Mock<Viewers['add']>
  let starts: Mock<FeedFollower['start']>
  let stops: Mock<FeedFollower['stop']>
  const open = new Set<Page>()

  beforeAll(async () => {
    emulator = await startEmulator({ port: 0 })
    const settings = { endpoint: emulator.endpoint, key: emulator.key }
    await provision(settings)
    jobs = await connect(settings)
    browser = await Browser.open(path ?? '')
  })
  afterAll(async () => {
    await browser.close()
    jobs.close()
    await emulator.close()
  })
  beforeEach(async () => {
    added = vi.spyOn(Viewers.prototype, 'add')
    starts = vi.spyOn(FeedFollower.prototype, 'start')
    stops = vi.spyOn(FeedFollower.prototype, 'stop')
    // A server that was started again knows its browsers, as one behind a platform does.
    isSignedIn = true
    known = vi.spyOn(Sessions.prototype, 'isOpen').mockImplementation(() => isSignedIn)
    served = await serve(0)
  })
  afterEach(async () => {
    for (const page of open) await close(page)
    emulator.faults.clear()
    await served.close()
    vi.restoreAllMocks()
  })

  function serve(port: number): Promise<ServedPage> {
    const settings = { endpoint: emulator.endpoint, key: emulator.key }
    return servePage({ settings, port, by: 'ada', workflows: [], onOpened: () => undefined })
  }

  /** The number of streams at the server. */
  function streams(): number {
    const asked = [...new Set(added.mock.contexts)].filter((one) => one instanceof Viewers)
    return asked.reduce((sum, { count }) => sum + count, 0)
  }

  /** Opens windows of one browser, which show changes as the stream tells them. */
  async function windows(count: number): Promise<readonly Page[]> {
    const first = await browser.visit(served.address)
    open.add(first)
    await first.until(isLive)
    const opened = [first]
    await first.begin(tail())
    while (opened.length < count) opened.push(await windowBeside(first))
    for (const page of opened) await page.until(`${isLive} && document.querySelector('h1')`)
    return opened
  }

  async function windowBeside(page: Page): Promise<Page> {
    const opened = await page.beside(tail())
    open.add(opened)
    return opened
  }

  const tail = (): string => `${new URL(served.address).origin}/tail`

  async function close(page: Page): Promise<void> {
    open.delete(page)
    await page.close()
  }

  /** Submits a job, and waits until all these windows show it. */
  async function allShow(pages: readonly Page[], jobId: string): Promise<void> {
    await jobs.submit(buying, { jobId, isRefused: false, amount: 7 }, { jobId })
    for (const page of pages) {
      await page.until(`document.querySelector('.tail')?.textContent.includes('${jobId}')`)
    }
  }

  /** Returns the locks that are waited for: by the worker those of tabs, and by each tab that of the worker. */
  async function locks(page: Page | undefined, of: 'tab' | 'worker'): Promise<readonly string[]> {
    const names = await page?.evaluate<string[]>(
      'navigator.locks.query().then(({ pending }) => pending.map(({ name }) => name))',
    )
    return (names ?? []).filter((name) => name.startsWith(`stepward ${of} `))
  }

  /** Waits until each of these windows has joined the same worker, which is not the former one. */
  async function joinedAnotherWorker(pages: readonly Page[], former: string | undefined): Promise<void> {
    const isDone = async (): Promise<boolean> => {
      const names = await locks(pages[0], 'worker')
      return names.length === pages.length && new Set([...names, former]).size === 2
    }
    await expect.poll(isDone, soon).toBe(true)
    for (const page of pages) await page.until(isLive)
  }

  it('share one stream in eight windows, which outlives the first window', async () => {
    const pages = await windows(8)
    for (const page of pages) expect(await page.evaluate('document.visibilityState')).toBe('visible')
    expect(streams()).toBe(1)
    await allShow(pages, 'O-1')
    const [first, ...others] = pages
    const began = added.mock.contexts.length
    if (first !== undefined) await close(first)
    await allShow(others, 'O-2')
    expect([streams(), added.mock.contexts.length]).toEqual([1, began])
    for (const page of others) expect(page.complaints).toEqual([])
  })

  it('have no stream after the last is closed, and the reader stops', async () => {
    const pages = await windows(3)
    const before = stops.mock.calls.length
    for (const page of pages) await close(page)
    await expect.poll(streams, soon).toBe(0)
    await expect.poll(() => stops.mock.calls.length, soon).toBe(before + 1)
    expect(stops.mock.calls.length).toBe(starts.mock.calls.length)
  })

  it('have no stream while the browser keeps their documents for the way back', async () => {
    const pages = await windows(2)
    const [first, ...others] = pages
    const began = added.mock.contexts.length
    const turn = (page: Page | undefined, kind: string): Promise<unknown> | undefined =>
      page?.evaluate(`dispatchEvent(new PageTransitionEvent('${kind}', { persisted: true }))`)
    await turn(first, 'pagehide')
    await allShow(others, 'B-0')
    await turn(first, 'pageshow')
    await first?.until(isLive)
    expect([streams(), added.mock.contexts.length]).toEqual([1, began])
    for (const page of pages) await turn(page, 'pagehide')
    await expect.poll(streams, soon).toBe(0)
    for (const page of pages) await turn(page, 'pageshow')
    for (const page of pages) await page.until(isLive)
    await allShow(pages, 'B-1')
    expect(streams()).toBe(1)
  })

  it('leave nothing behind in the worker when they come and go', async () => {
    const [first] = await windows(1)
    if (first === undefined) return
    await expect.poll(() => locks(first, 'tab'), soon).toHaveLength(1)
    const others = await Promise.all([1, 2, 3].map(() => windowBeside(first)))
    for (const page of others) await page.until(isLive)
    await expect.poll(() => locks(first, 'tab'), soon).toHaveLength(4)
    for (const page of others) await close(page)
    await expect.poll(() => locks(first, 'tab'), soon).toHaveLength(1)
  })

  it('go on after one of them has crashed together with the worker', async () => {
    const [first, ...others] = await windows(3)
    if (first === undefined) return
    const [former] = await locks(first, 'worker')
    open.delete(first)
    first.crash()
    await joinedAnotherWorker(others, former)
    await allShow(others, 'C-1')
    await expect.poll(streams, soon).toBe(1)
  })

  it('recover after the server was started again', async () => {
    const pages = await windows(8)
    const port = Number(new URL(served.address).port)
    await served.close()
    for (const page of pages) await page.until(`${shown} === 'not connected'`)
    served = await serve(port)
    for (const page of pages) await page.until(isLive)
    await allShow(pages, 'R-1')
    expect(streams()).toBe(1)
  })

  it('recover after the worker has ended', async () => {
    const pages = await windows(3)
    const [former] = await locks(pages[0], 'worker')
    expect(await browser.endWorkers()).toBe(1)
    await joinedAnotherWorker(pages, former)
    await allShow(pages, 'W-1')
    await expect.poll(streams, soon).toBe(1)
  })

  it('are told that they are signed out, and then have no stream', async () => {
    const pages = await windows(3)
    const port = Number(new URL(served.address).port)
    await served.close()
    isSignedIn = false
    served = await serve(port)
    for (const page of pages) await page.until(isSignedOut)
    await expect.poll(() => locks(pages[0], 'tab'), soon).toEqual([])
    expect(streams()).toBe(0)
  })

  it('come back when a person has signed in again in one of them', async () => {
    known.mockRestore()
    const pages = await windows(3)
    for (const page of pages) {
      // A signed-out tab looks every few seconds whether another has signed in.
      await page.beforeModules(`(() => {
        const start = window.setInterval
        window.setInterval = (run, ms) => start(run, Math.min(ms, 100))
      })()`)
      await page.begin(tail())
      await page.until(isLive)
    }
    const port = Number(new URL(served.address).port)
    await served.close()
    served = await serve(port)
    for (const page of pages) await page.until(isSignedOut)
    const [first] = pages
    await first?.begin(served.address)
    for (const page of pages) await page.until(isLive)
    await first?.begin(tail())
    await first?.until(`${isLive} && document.querySelector('h1')`)
    await allShow(pages, 'S-1')
    await expect.poll(streams, soon).toBe(1)
  })

  it('share a stream again after a break, if the worker loads by then', async () => {
    const first = await browser.visit('about:blank')
    const pages = [first, await first.beside('about:blank')]
    for (const page of pages) {
      open.add(page)
      await page.beforeModules(`(() => {
        window.isMissing = true
        const { createPolicy } = TrustedTypePolicyFactory.prototype
        TrustedTypePolicyFactory.prototype.createPolicy = function (name, { createScriptURL }) {
          const path = () => window.isMissing ? '/page/stream/none.js' : createScriptURL()
          return createPolicy.call(this, name, { createScriptURL: path })
        }
      })()`)
      await page.begin(served.address)
      await page.until(isLive)
      await page.begin(tail())
    }
    for (const page of pages) await page.until(`${isLive} && document.querySelector('h1')`)
    await expect.poll(streams, soon).toBe(2)
    for (const page of pages) await page.evaluate('window.isMissing = false')
    const port = Number(new URL(served.address).port)
    await served.close()
    for (const page of pages) await page.until(`${shown} === 'not connected'`)
    served = await serve(port)
    await expect.poll(() => locks(first, 'tab'), soon).toHaveLength(2)
    for (const page of pages) await page.until(isLive)
    await allShow(pages, 'B-2')
    await expect.poll(streams, soon).toBe(1)
  })

  it('open the stream again after the server has refused it for a while', async () => {
    const pages = await windows(3)
    const port = Number(new URL(served.address).port)
    await served.close()
    added.mockClear()
    added.mockImplementation(() => false)
    served = await serve(port)
    await expect.poll(() => added.mock.results.length, soon).toBeGreaterThan(0)
    added.mockReset()
    for (const page of pages) await page.until(isLive)
    expect(streams()).toBe(1)
  })

  it('show the trouble of the store and its end, also a tab that joins late', async () => {
    const pages = [...(await windows(2))]
    const match = { container: 'state', operation: 'changeFeed' } as const
    const away = emulator.faults.add({ match, status: 503 })
    const held = emulator.faults.add({ match, delay: '1h' })
    for (const page of pages) await page.until(isTroubled)
    // While the next read waits, the server does not repeat the trouble.
    emulator.faults.remove(away)
    await expect.poll(() => held.fired, soon).toBeGreaterThan(0)
    const [first] = pages
    if (first !== undefined) pages.push(await windowBeside(first))
    for (const page of pages) await page.until(isTroubled)
    expect(streams()).toBe(1)
    emulator.faults.clear()
    for (const page of pages) await page.until(isLive)
    await allShow(pages, 'T-1')
  })

  it.each([
    ['has no shared workers', 'delete window.SharedWorker'],
    [
      'cannot load the worker',
      `(() => {
        const { createPolicy } = TrustedTypePolicyFactory.prototype
        TrustedTypePolicyFactory.prototype.createPolicy = function (name) {
          return createPolicy.call(this, name, { createScriptURL: () => '/page/stream/none.js' })
        }
      })()`,
    ],
    [
      'hears nothing from the worker',
      `(() => {
        const start = window.setTimeout
        window.setTimeout = (run, ms) => start(run, Math.min(ms, 100))
        const { createPolicy } = TrustedTypePolicyFactory.prototype
        TrustedTypePolicyFactory.prototype.createPolicy = function (name) {
          return createPolicy.call(this, name, { createScriptURL: () => '/page/stream/change-stream.js' })
        }
      })()`,
    ],
  ])('have a stream each in a browser that %s', async (_what, script) => {
    const first = await browser.visit('about:blank')
    const pages = [first, await first.beside('about:blank')]
    for (const page of pages) {
      open.add(page)
      await page.beforeModules(script)
      await page.begin(served.address)
      await page.until(isLive)
      await page.begin(tail())
    }
    for (const page of pages) await page.until(`${isLive} && document.querySelector('h1')`)
    await allShow(pages, `A-${_what.length}`)
    await expect.poll(streams, soon).toBe(2)
  })
})
