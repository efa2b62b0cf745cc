import axe from 'axe-core'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keepVersions } from '../../../src/connection/keep-versions.js'
import { defineWorkflow } from '../../../src/sas/index.js'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { aPage, bank, hostile, type APage } from './a-page.js'

const path = await anyBrowserPath()
const pictures = process.env['PAGE_PICTURES']

const ordering = defineWorkflow<{ readonly note: string }>('ordering', (job) => {
  // The success of a longer attempt would stay in the job, without a document of the step.
  const short = { undo: 'none', completeWithin: '1500ms' } as const
  const check = job.step('check', bank.pay, { isRefused: false, amount: 2 }, short)
  job.step('charge', bank.pay, { isRefused: true, amount: 7 }, { undo: 'none', after: [check] })
})

/** The hostile text in a sentence, where it must not turn the other words around. */
const escaped = hostile.replace('\u202e', '\\u202e')

const look = `axe.run(document).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
  nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`

describe.skipIf(path === null)('the history of a job in a browser', () => {
  let store: APage
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    store = await aPage()
    const before = await store.host.client.submit(ordering, { note: 'early' }, { jobId: 'early' })
    await expect(before.result()).rejects.toThrow('refused')
    await keepVersions(store.store.client().database('stepward').container('state'), 3_600_000)
    const job = await store.host.client.submit(ordering, { note: hostile }, { jobId: 'told' })
    await expect(job.result()).rejects.toThrow('refused')
    await store.host.client.resubmit('told', {
      step: 'charge',
      input: { isRefused: false, amount: 9 },
      by: `ann ${hostile}`,
      why: `another card ${hostile}`,
    })
    await job.result()
    browser = await Browser.open(path ?? '')
    page = await browser.visit(store.address())
    await page.until(`document.querySelector('header nav')`)
  })
  afterAll(async () => {
    await browser.close()
    await store.close()
  })

  const text = `document.querySelector('main').textContent`

  async function shown(name: string): Promise<void> {
    await page.evaluate(`${axe.source}; null`)
    for (const isDark of [false, true]) {
      for (const width of [390, 1280]) {
        await page.look({ width, height: 1080, isDark })
        await page.evaluate(`document.querySelector('.attempts-panel')?.scrollIntoView()`)
        expect(await page.evaluate(look), `${name} at ${width} px`).toEqual([])
        const [wide, seen] = await page.evaluate<[number, number]>(
          `[document.documentElement.scrollWidth, document.documentElement.clientWidth]`,
        )
        expect(wide, `${name} at ${width} px`).toBeLessThanOrEqual(seen)
        if (pictures === undefined) continue
        await mkdir(pictures, { recursive: true })
        await writeFile(join(pictures, `${name}-${width}${isDark ? '-dark' : ''}.png`), await page.picture())
      }
    }
    await page.look({ width: 1280, height: 1080, isDark: false })
  }

  it('tells each moment, and shows the documents of the chosen one and what it changed', async () => {
    await page.begin(`${store.origin}/history?jobId=told`)
    await page.until(`document.querySelectorAll('.moments > li').length > 5 && ${text}.includes('RU.')`)
    const all = await page.evaluate<string>(text)
    expect(all).toMatch(
      /submitted: workflow ordering with 2 steps.*attempt 1 failed for good.*attempt 1 succeeded/s,
    )
    expect(all).toContain(`ann ${escaped} decided: resubmit charge, because “another card ${escaped}”`)
    await page.evaluate(`(() => {
      const slider = document.querySelector('.slider input')
      slider.value = slider.max
      slider.dispatchEvent(new Event('input', { bubbles: true }))
    })()`)
    await page.until(`new URLSearchParams(location.search).has('moment')`)
    await page.until(`document.querySelector('.difference')?.textContent.includes('processState')`)
    expect(await page.evaluate(`document.querySelector('.difference').textContent`)).toMatch(
      /processState\s*"Processing"\s*"Processed"/,
    )
    await page.evaluate(
      `[...document.querySelectorAll('.standing a')].find((one) => one.textContent === 'step check').click()`,
    )
    await page.until(`${text}.includes('This moment did not change it')`)
    expect(await page.evaluate(`document.querySelector('.moments > .chosen').textContent`)).toContain(
      'ended, after',
    )
    expect(page.complaints).toEqual([])
    await shown('history')
  })

  it('puts the attempts of a step side by side, each with the input that it had', async () => {
    await page.begin(`${store.origin}/job?jobId=told&step=charge`)
    await page.until(`document.querySelector('.attempts-panel summary')`)
    await page.evaluate(`document.querySelector('.attempts-panel summary').click()`)
    const panel = `document.querySelector('.attempts-panel')`
    await page.until(`${panel}.querySelectorAll('tbody tr').length === 2`)
    const rows = `[...${panel}.querySelectorAll('.difference li')].map((row) => [...row.children].map((part) => part.textContent))`
    const differences = await page.evaluate<string[][]>(rows)
    expect(differences).toContainEqual(['input.amount', '7', '9'])
    expect(differences.map(([name]) => name)).toEqual(
      expect.arrayContaining(['input.isRefused', 'output', 'error', 'outcome']),
    )
    expect(await page.evaluate(`${panel}.textContent`)).toContain(`the card is refused ${hostile}`)
    expect(page.complaints).toEqual([])
    await shown('job-attempts')
  })

  it('says what is missing and how to get it, for a job from before versions were kept', async () => {
    await page.begin(`${store.origin}/history?jobId=early`)
    await page.until(`document.querySelector('.note')`)
    const all = await page.evaluate<string>(text)
    expect(all).toMatch(/older than what the store keeps|no longer keeps the first versions/)
    expect(all).toContain('submitted: workflow ordering')
    expect(page.complaints).toEqual([])
  })
})
