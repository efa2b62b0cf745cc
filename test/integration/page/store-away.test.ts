import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connect, type ConnectedClient } from '../../../src/connection/index.js'
import { provision } from '../../../src/connection/internal.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { servePage, type ServedPage } from '../../../src/page/index.js'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { buying } from './a-page.js'
import { clickOn, closeDialog, control, typeInto } from './controls.js'

const path = await anyBrowserPath()

const problem = `document.querySelector('main .problem')?.textContent`
const isSlow = `document.querySelector('.live')?.textContent === 'the store answers slowly'`
const isLive = `document.querySelector('.live')?.textContent === 'live'`

describe.skipIf(path === null)('a page whose store is away', () => {
  let emulator: Emulator
  let served: ServedPage
  let jobs: ConnectedClient
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    emulator = await startEmulator({ port: 0 })
    const settings = { endpoint: emulator.endpoint, key: emulator.key }
    await provision(settings)
    jobs = await connect(settings)
    served = await servePage({ settings, port: 0, by: 'ada', workflows: [], onOpened: () => undefined })
    browser = await Browser.open(path ?? '')
    for (const jobId of ['S-1', 'S-2', 'S-3']) {
      await jobs.submit(buying, { jobId, isRefused: false, amount: 7 }, { jobId })
    }
  })
  afterAll(async () => {
    await browser.close()
    await served.close()
    jobs.close()
    await emulator.close()
  })
  beforeEach(async () => {
    page = await browser.visit(served.address)
    await page.until(isLive)
  })
  afterEach(() => emulator.faults.clear())

  const open = async (view: string): Promise<void> => {
    await page.begin(`${new URL(served.address).origin}${view}`)
    await page.until(isLive)
  }

  it('says so, keeps what it has, and recovers by itself', async () => {
    await open('/jobs')
    await page.until(control('S-1'))
    const away = emulator.faults.add({ match: { container: 'state' }, status: 503 })
    await page.until(`document.querySelector('.live').textContent.includes('the store does not answer')`)
    expect(await page.evaluate(`${control('S-1')} !== undefined`)).toBe(true)
    await page.evaluate(`document.querySelector('select[name=state]').value = 'Error'`)
    await page.evaluate(
      `document.querySelector('select[name=state]').dispatchEvent(new Event('change', { bubbles: true }))`,
    )
    expect(await page.until<string>(problem)).toContain('The page tries again.')
    emulator.faults.remove(away)
    await page.until(`${isLive} && document.querySelector('.empty')?.textContent === 'No job matches.'`)
    expect(await page.evaluate(`document.querySelector('main .problem') === null`)).toBe(true)
  })

  it('says that the store is slow while it refuses requests for now, and then shows the jobs', async () => {
    const refusal = { status: 429, retryAfter: '1s' }
    const busy = emulator.faults.add({ match: { container: 'state', operation: 'query' }, ...refusal })
    await page.begin(`${new URL(served.address).origin}/jobs`)
    await page.until(isSlow)
    expect(busy.fired).toBeGreaterThan(0)
    emulator.faults.remove(busy)
    await page.until(`${isLive} && ${control('S-2')}`)
  })

  it('says that the store answers slowly, until it has answered', async () => {
    emulator.faults.add({ match: { container: 'state', operation: 'query' }, delay: '6s' })
    await page.begin(`${new URL(served.address).origin}/jobs`)
    await page.until(isSlow)
    emulator.faults.clear()
    await page.until(`${isLive} && ${control('S-1')}`)
  })

  it('an action whose answer was lost shows what was done after reading again', async () => {
    await open('/job?jobId=S-3')
    await page.until(control('Pause'))
    // The request arrives, and the connection breaks before its answer.
    await page.evaluate(`(() => {
      const real = window.fetch
      window.fetch = async (...asked) => {
        const answer = await real(...asked)
        if (asked[1]?.method === 'POST') throw new TypeError('the connection was lost')
        return answer
      }
    })()`)
    await clickOn(page, 'Pause')
    await page.until(`document.querySelector('dialog[open]')`)
    await typeInto(page, `document.querySelector('dialog [name=why]')`, 'lost')
    await page.until(`!document.querySelector('dialog button.primary').disabled`)
    await page.evaluate(`document.querySelector('dialog button.primary').click()`)
    expect(await page.until<string>(`document.querySelector('dialog .problem')?.textContent`)).toContain(
      'The action may have been carried out.',
    )
    await closeDialog(page)
    await page.until(`document.querySelector('.why')?.textContent.includes('paused by ada')`)
    expect((await (await jobs.get('S-3'))?.view())?.paused).toMatchObject({ why: 'lost' })
  })
})
