import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineWorkflow, type Reference } from '../../../src/sas/index.js'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { aPage, bank, hostile, type APage } from './a-page.js'

const path = await anyBrowserPath()
const pictures = process.env['PAGE_PICTURES']

const ordering = defineWorkflow<{ readonly sku: string }>('ordering', (job) => {
  const reserved = job.step(
    'reserve',
    bank.pay,
    { isRefused: false, amount: 2 },
    { undo: () => bank.follow({}) },
  )
  const { paid } = reserved.output as unknown as { readonly paid: Reference<number> }
  job.step('charge', bank.pay, { isRefused: true, amount: paid }, { undo: 'none' })
})

describe.skipIf(path === null)('a job in a browser', () => {
  let store: APage
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    store = await aPage()
    const job = await store.host.client.submit(ordering, { sku: hostile }, { jobId: 'panels' })
    await expect(job.result()).rejects.toThrow('refused')
    browser = await Browser.open(path ?? '')
    page = await browser.visit(store.address())
    await page.until(`document.querySelector('header nav')`)
  })
  afterAll(async () => {
    await browser.close()
    await store.close()
  })

  const panel = (title: string): string =>
    `[...document.querySelectorAll('.panel')].find((one) => one.querySelector('h2')?.textContent.startsWith(${JSON.stringify(title)}))`

  const picture = async (name: string): Promise<void> => {
    if (pictures === undefined) return
    await mkdir(pictures, { recursive: true })
    await writeFile(join(pictures, `${name}.png`), await page.picture())
  }

  it('shows what an undo does before it begins, and what it has done', async () => {
    await page.begin(`${store.origin}/job?jobId=panels&step=reserve`)
    expect(await page.until<string>(`${panel('If the job is undone')}?.textContent`)).toMatch(
      /1\s*reserve by bank.follow\s+it is done/,
    )
    await store.host.client.cancel('panels', `withdrawn ${hostile}`, { by: 'ada' })
    const undone = await page.until<string>(
      `${panel('Undo')}?.textContent.includes('is undone') && ${panel('Undo')}.textContent`,
    )
    expect(undone).toContain('withdrawn <img')
    expect(page.complaints).toEqual([])
  })

  it('compares the values of a step that the address names, and shows hostile texts as text', async () => {
    await page.begin(`${store.origin}/job?jobId=panels&step=charge`)
    await page.until(panel('Difference in charge'))
    await page.evaluate(`(() => {
      const field = document.querySelector('select[name="right"]')
      field.value = 'Input of the job'
      field.dispatchEvent(new Event('change', { bubbles: true }))
    })()`)
    await page.until(`new URLSearchParams(location.search).get('right') === 'Input of the job'`)
    const rows = `[...document.querySelectorAll('.difference li')].map((row) => [...row.children].map((part) => part.textContent))`
    expect(await page.evaluate(rows)).toEqual([
      ['isRefused', 'true', 'nothing'],
      ['amount', '2', 'nothing'],
      ['sku', 'nothing', JSON.stringify(hostile)],
    ])
    await picture('job-panels-1280')
    await page.begin(
      `${store.origin}/job?jobId=panels&step=charge&left=Input+of+the+job&right=Input+of+the+job`,
    )
    await page.until(`${panel('Difference in charge')}?.textContent.includes('There is no difference')`)
    expect(page.complaints).toEqual([])
  })

  it('shows the request units of each document, and says that they are computed', async () => {
    await page.begin(`${store.origin}/job?jobId=panels`)
    const text = await page.until<string>(`${panel('Cost by step')}?.textContent`)
    expect(text).toContain('Computed from the size')
    const charges = await page.evaluate<string[]>(
      `[...${panel('Cost by step')}.querySelectorAll('tr')].slice(1).map((row) => row.lastElementChild.textContent)`,
    )
    const [reserve = 0, charge = 0, job = 0, together = 0] = charges.map(Number)
    expect(reserve).toBeGreaterThan(charge)
    expect(together).toBeCloseTo(reserve + charge + job, -1)
  })
})
