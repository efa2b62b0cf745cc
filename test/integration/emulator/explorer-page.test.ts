import type { Container } from '@azure/cosmos'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Emulator } from '../../../src/emulator/index.js'
import { Browser, browserPath, type Page } from '../../support/browser.js'
import { anEmulator, ordersIn } from './doors.js'

const path = browserPath()
if (path === null) {
  console.warn('There is no Chromium on the PATH, so the data explorer is not tested in a browser.')
}

/** An id that becomes an element, and runs, if a page reads it as HTML. */
const hostileId = '<img src=x onerror="document.title=String(1)">'

/** An expression for the first control with this text. */
function control(text: string): string {
  return `[...document.querySelectorAll('button, a, summary')].find((one) => one.textContent === ${JSON.stringify(text)})`
}

describe.skipIf(path === null)('the data explorer in a browser', () => {
  let browser: Browser
  let emulator: Emulator
  let container: Container
  let page: Page

  beforeAll(async () => {
    browser = await Browser.open(path ?? '')
  })

  afterAll(() => browser.close())

  beforeEach(async () => {
    emulator = await anEmulator({ partitionCount: 2, key: 'c2VjcmV0' })
    container = await ordersIn(emulator)
    await container.items.create({ id: hostileId, pk: '<b>bold</b>', total: 7 })
  })

  /** Opens a view, and gives the page the key for which it asks. */
  async function open(hash: string): Promise<void> {
    page = await browser.visit(`${emulator.endpoint}_explorer/${hash}`)
    await page.until(`document.querySelector('dialog input')`)
    await page.evaluate(`document.querySelector('dialog input').value = ${JSON.stringify(emulator.key)}`)
    await click('Use this key')
    await page.until(`document.querySelector('#tree li') && !document.querySelector('dialog')`)
  }

  async function click(text: string): Promise<void> {
    await page.until(control(text))
    await page.evaluate(`${control(text)}.click()`)
  }

  const textsOf = (selector: string): Promise<string[]> =>
    page.evaluate(`[...document.querySelectorAll('${selector}')].map((one) => one.textContent)`)

  it('shows items as text, saves them, and keeps the changes of other clients', async () => {
    await open('#/shop/orders/items')
    await page.until(`document.querySelector('td')`)
    expect(await textsOf('td:first-child')).toEqual([hostileId])
    await page.evaluate(`document.querySelector('td button').click()`)
    await page.until(`document.querySelector('dialog textarea')`)
    await page.evaluate(
      `{ const text = document.querySelector('dialog textarea'); text.value = text.value.replace('7', '8') }`,
    )
    await page.press('s', true)
    await page.until(`document.querySelector('td:last-child').textContent === '{"total":8}'`)
    const stored = container.item(hostileId, '<b>bold</b>')
    expect((await stored.read<{ total: number }>()).resource?.total).toBe(8)

    await page.evaluate(`document.querySelector('td button').click()`)
    await page.until(`document.querySelector('dialog textarea')`)
    await stored.replace({ id: hostileId, pk: '<b>bold</b>', total: 9 })
    await click('Save')
    await page.until(`document.querySelector('dialog .problem').textContent.includes('Another client')`)
    await click('Load the present version')
    await page.until(`document.querySelector('dialog textarea').value.includes('9')`)
    await page.press('Escape')
    await page.until(`!document.querySelector('dialog')`)
    expect((await stored.read<{ total: number }>()).resource?.total).toBe(9)
    expect(await page.evaluate('document.title')).not.toBe('1')
  })

  it('runs a query by the keyboard, and shows its rows, its plan and its cost', async () => {
    await open('#/shop/orders/query')
    await page.until(`document.querySelector('textarea')`)
    await page.evaluate(
      `{ const text = document.querySelector('textarea'); text.focus(); text.value = 'SELECT c.id, c.total FROM c' }`,
    )
    await page.press('Enter', true)
    await page.until(`document.querySelector('td')`)
    expect(await textsOf('th')).toEqual(expect.arrayContaining(['id', 'total']))
    expect((await textsOf('td')).slice(0, 2)).toEqual([hostileId, '7'])
    await click('Plan')
    await page.until(`document.querySelector('pre').textContent.includes('queryRanges')`)
    await click('Cost')
    expect(await textsOf('section:not([hidden]) td')).toContain('request charge')
  })

  it('shows the index advice of a query also after more rows', async () => {
    for (let total = 1; total <= 120; total += 1) {
      await container.items.create({ id: String(total), pk: 'p', total })
    }
    await open('#/shop/orders/query')
    await page.until(`document.querySelector('textarea')`)
    await page.evaluate(
      `{ const text = document.querySelector('textarea'); text.focus(); text.value = 'SELECT * FROM c WHERE c.total > 0' }`,
    )
    await page.press('Enter', true)
    await click('More rows')
    await page.until(`document.body.textContent.includes('121 rows')`)
    await click('Cost')
    expect(await textsOf('section:not([hidden]) td')).toContain('/total/?')
  })

  it('splits a range, follows the feed, and switches a fault on and off', async () => {
    await open('#/shop/orders/ranges')
    await click('Split')
    await page.until(`document.querySelectorAll('tbody tr').length === 3`)
    expect(emulator.engine.container('shop', 'orders').partitions).toHaveLength(3)

    await click('Change feed')
    await page.until(`document.querySelectorAll('tbody tr').length === 1`)
    await container.items.create({ id: 'late', pk: 'p' })
    await page.until(`document.querySelectorAll('tbody tr').length === 2`)

    await click('Faults')
    await page.until(`document.querySelector('.faults input')`)
    await page.evaluate(`document.querySelector('.faults input').click()`)
    await page.until(`document.querySelector('.faults .quiet').textContent === '0 requests'`)
    expect(emulator.faults.list()).toHaveLength(1)
    await page.evaluate(`document.querySelector('.faults input').click()`)
    await page.until(`document.querySelector('.faults .quiet').textContent === 'off'`)
    expect(emulator.faults.list()).toEqual([])
    // The only complaint is the first request, which the account refused before it had the key.
    expect(page.complaints.filter((text) => !text.includes('401'))).toEqual([])
  })

  it('fits into a narrow window in every view', async () => {
    await open('#/shop/orders/items')
    await page.look({ width: 400, height: 800, isDark: true })
    const contents = {
      Query: 'textarea',
      Ranges: 'meter',
      'Change feed': 'td details',
      Definition: 'pre',
      Items: 'td button.link',
      Faults: '.faults li',
    }
    for (const [view, content] of Object.entries(contents)) {
      await click(view)
      await page.until(`document.querySelector('main ${content}')`)
      const overflow = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect([view, Math.max(overflow, 0)]).toEqual([view, 0])
    }
  })
})
