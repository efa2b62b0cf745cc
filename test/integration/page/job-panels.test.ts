import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defineAgent, defineWorkflow, type Reference } from '../../../src/sas/index.js'
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

const other = defineAgent('other', { work: () => null })

const ofOther = defineWorkflow('of-other', (job) => void job.step('work', other.work, {}, { undo: 'none' }))

const limited = defineWorkflow('limited', (job) => {
  job.step(
    'wait',
    bank.wait,
    {},
    { completeWithin: '1h', undo: 'none', limits: [{ key: 'narrow', atOnce: 1 }] },
  )
})

const returning = defineWorkflow('returning', (job) => {
  const paid = job.step(
    'pay-the-whole-amount-of-the-order',
    bank.pay,
    { isRefused: false, amount: 2 },
    { undo: 'none' },
  )
  return { receipt: paid.output }
})

const failing = defineWorkflow('failing', (job) => {
  job.step('pay', bank.crash, {}, { undo: 'none', retry: { backoff: { min: '30s', max: '30s' } } })
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

  it('draws what each step did on one axis, with the same as text, and fits into narrow windows', async () => {
    await store.host.client.limits.set('narrow', { atOnce: 1 }, { by: 'ann', why: 'test' })
    for (const jobId of ['holds', 'blocked']) await store.host.client.submit(limited, {}, { jobId })
    await store.host.client.submit(failing, {}, { jobId: 'fails' })
    await store.telemetry.waitFor('step.settled', (event) => event.jobId === 'fails')
    await page.begin(`${store.origin}/job?jobId=fails`)
    const bars = panel('What took the time')
    expect(await page.until<string>(`${bars}?.textContent`)).toMatch(/attempt 1 failed.*backs off until/s)
    expect(
      await page.evaluate(`${bars}.querySelector('rect.backingOff').getBoundingClientRect().width`),
    ).toBeGreaterThan(1)
    await page.begin(`${store.origin}/job?jobId=blocked`)
    await page.until(`${bars}?.querySelector('rect.blocked') || ${bars}?.querySelector('rect.running')`)
    const drawn = await page.evaluate<string>(`${bars}.textContent`)
    expect(drawn).toMatch(/waits at limit narrow|attempt 1 is under way/)
    await store.host.client.pause('blocked', `pause ${hostile}`, { by: `ann ${hostile}` })
    expect(
      await page.until<string>(`${bars}?.querySelector('rect.paused') && ${bars}.textContent`),
    ).toContain(`paused by ann ${hostile}`)
    for (const width of [390, 800, 1280]) {
      await page.look({ width, height: 1080, isDark: false })
      const [wide, seen] = await page.evaluate<[number, number]>(
        `[document.documentElement.scrollWidth, document.documentElement.clientWidth]`,
      )
      expect(wide, `at ${width} px`).toBeLessThanOrEqual(seen)
      await picture(`job-bars-${width}`)
    }
    expect(page.complaints).toEqual([])
  })

  it('shows what a job has returned, and its tags, which lead to the other jobs that have them', async () => {
    const tags = { customer: hostile }
    const job = await store.host.client.submit(returning, {}, { jobId: 'returned', tags })
    await job.result()
    await page.begin(`${store.origin}/job?jobId=returned`)
    const shown = await page.until<string>(`${panel('Input and result of the job')}?.textContent`)
    expect(shown).toMatch(/Result.*"receipt".*"paid": 2/s)
    // However wide the font is, a name ends within its node, and says that it was cut.
    const [name, isWithin] = await page.evaluate<[string, boolean]>(`(() => {
      const text = document.querySelector('.node-name')
      return [text.textContent, text.getBBox().x + text.getComputedTextLength() < text.parentNode.querySelector('rect').getBBox().width]
    })()`)
    expect([name.startsWith('✓ pay-the-'), name.endsWith('…'), isWithin]).toEqual([true, true, true])
    const tag = `[...document.querySelectorAll('.facts a')].find((one) => one.textContent === ${JSON.stringify(hostile)})`
    await page.evaluate(`${tag}.click()`)
    await page.until(
      `location.pathname === '/jobs' && document.querySelector('tbody a.id')?.textContent === 'returned'`,
    )
    expect(page.complaints).toEqual([])
  })

  it('says, before the reason, that no instance has the agent of a step', async () => {
    await store.host.client.submit(ofOther, {}, { jobId: 'alone' })
    await page.begin(`${store.origin}/job?jobId=alone`)
    expect(
      await page.until<string>(
        `document.querySelector('.why')?.textContent.includes('No instance that reads') && document.querySelector('.why').textContent`,
      ),
    ).toMatch(
      /has agent other: start one whose module exports it, and stop \S+, which holds the range without it\. Step work is dispatched to agent other/,
    )
    await store.host.client.cancel('alone', 'seen')
    await page.until(`!document.querySelector('.why')?.textContent.includes('No instance that reads')`)
  })

  it('reads the stored documents only when they are asked for, and shows them as text', async () => {
    const mine = { id: 'mine', pk: 'panels', note: hostile }
    await store.store.client().database('stepward').container('state').items.create(mine)
    await page.begin(`${store.origin}/job?jobId=panels`)
    await page.until(`document.querySelector('.documents:not(.attempts-panel) summary')`)
    expect(await page.evaluate(`document.querySelector('.documents:not(.attempts-panel) pre')`)).toBeNull()
    await page.evaluate(`document.querySelector('.documents:not(.attempts-panel) summary').click()`)
    const shown = `document.querySelector('.documents:not(.attempts-panel)').textContent`
    await page.until(`${shown}.includes('"type": "sas.job"') && ${shown}.includes('"type": "sas.step"')`)
    expect(await page.evaluate(shown)).not.toContain('"id": "mine"')
    await page.evaluate(
      `[...document.querySelectorAll('.documents:not(.attempts-panel) button')].find((one) => one.textContent.startsWith('Also read')).click()`,
    )
    await page.until(`${shown}.includes('"id": "mine"')`)
    expect(await page.evaluate(shown)).toContain(JSON.stringify(hostile))
    await picture('job-documents')
    expect(page.complaints).toEqual([])
  })

  it('shows the request units of each document, and says that they are computed', async () => {
    await page.begin(`${store.origin}/job?jobId=panels`)
    const text = await page.until<string>(`${panel('Cost by step')}?.textContent`)
    expect(text).toContain('Computed from the number of attempts and the size')
    const charges = await page.evaluate<string[]>(
      `[...${panel('Cost by step')}.querySelectorAll('tr')].slice(1).map((row) => row.lastElementChild.textContent)`,
    )
    const [reserve = 0, charge = 0, job = 0, together = 0] = charges.map(Number)
    expect(reserve).toBeGreaterThan(charge)
    expect(together).toBeCloseTo(reserve + charge + job, -1)
  })
})
