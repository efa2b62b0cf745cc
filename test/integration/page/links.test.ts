import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AnswerLinks } from '../../../src/sas/index.js'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { aPage, ask, putQuestion, type APage, type Answer } from './a-page.js'

const path = await anyBrowserPath()
/** The folder for pictures, to be looked at. */
const pictures = process.env['PAGE_PICTURES']
const options = { publicUrl: 'https://jobs.example.com', keys: ['k'.repeat(40)] }
const links = new AnswerLinks(options)
const strangers = new AnswerLinks({ ...options, keys: ['x'.repeat(40)] })

let store: APage
beforeAll(async () => {
  store = await aPage(options)
  for (const jobId of ['claim-0', 'claim-1', 'claim-2']) await putQuestion(store, jobId)
})
afterAll(() => store.close())

const linkFor = (jobId: string, step = 'review'): string => links.linkFor({ jobId, step, assignee: 'ann' })
const tokenOf = (link: string): string => new URL(link).hash.slice(1)

/** Sends a request as the browser of a person without an account does. */
function post(at: string, link: string, body: unknown, headers: object = {}): Promise<Answer> {
  const given = { 'content-type': 'application/json', authorization: `Bearer ${tokenOf(link)}`, ...headers }
  const all = { host: 'jobs.example.com', ...given }
  return ask(`${store.origin}${at}`, { method: 'POST', headers: all }, JSON.stringify(body))
}

const given = { answer: { approved: true, amount: 20 }, note: 'by link' }
const refused = 'This link cannot be used: it is not complete, has expired, or its question is not open.'

async function eventOf(jobId: string): Promise<unknown> {
  const { text } = await store.get(`/api/job?jobId=${jobId}`)
  return (JSON.parse(text) as { readonly steps: readonly { readonly event: unknown }[] }).steps[0]?.event
}

describe('a signed link', () => {
  it('shows the question and takes one answer, in the name of its assignee', async () => {
    const link = linkFor('claim-0')
    const shown = await post('/answer/question', link, {})
    expect(JSON.parse(shown.text)).toMatchObject({ title: 'Pay this claim?', assignee: 'ann' })
    expect((await post('/answer', link, { answer: { approved: 'perhaps' } })).status).toBe(400)
    expect((await post('/answer', link, null)).text).toContain('the body must be a JSON object')
    expect(await post('/answer', link, given)).toMatchObject({ status: 200 })
    expect(await eventOf('claim-0')).toMatchObject({ payload: given.answer, by: 'ann', note: 'by link' })
    // The answer may have been lost on its way back, so the same one may be sent again.
    expect(await post('/answer', link, given)).toMatchObject({ status: 200 })
    for (const used of [
      await post('/answer', link, { answer: { approved: false, amount: 1 } }),
      await post('/answer/question', link, {}),
    ])
      expect([used.status, used.text]).toEqual([403, expect.stringContaining(refused)])
  })

  it('changes nothing when programs open it (F-H8)', async () => {
    const page = await ask(`${store.origin}/answer`, { headers: { host: 'jobs.example.com' } })
    expect([page.status, page.headers['content-security-policy']]).toEqual([
      200,
      expect.stringContaining("default-src 'none'"),
    ])
    expect(page.text).not.toMatch(/<script(?! type="(importmap|module)")|onclick|style=/u)
    for (const method of ['GET', 'HEAD'])
      await ask(`${store.origin}/answer?${tokenOf(linkFor('claim-1'))}`, { method })
    expect(await eventOf('claim-1')).toBeNull()
  })

  it.each([
    ['forged', () => strangers.linkFor({ jobId: 'claim-1', step: 'review', assignee: 'ann' })],
    ['of a job that does not exist', () => linkFor('none')],
    ['of a step that asks nothing', () => linkFor('claim-1', 'pay')],
    ['empty', () => 'https://jobs.example.com/answer#'],
    ['cut off', () => linkFor('claim-1').slice(0, -2)],
  ])('is refused with one sentence if it is %s (F-H8)', async (_what, link) => {
    for (const at of ['/answer', '/answer/question']) {
      const { status, text } = await post(at, link(), given)
      expect([status, text]).toEqual([403, expect.stringContaining(refused)])
    }
    expect(await eventOf('claim-1')).toBeNull()
  })

  it('opens nothing else, and other pages cannot use it', async () => {
    const headers = { host: 'jobs.example.com', authorization: `Bearer ${tokenOf(linkFor('claim-1'))}` }
    for (const at of ['/', '/jobs', '/api/jobs', '/api/job?jobId=claim-1'])
      expect((await ask(`${store.origin}${at}`, { headers })).status).toBe(403)
    const foreign = await post('/answer', linkFor('claim-1'), given, { origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
    const form = await post('/answer', linkFor('claim-1'), given, { 'content-type': 'text/plain' })
    expect(form.status).toBe(415)
    expect(await eventOf('claim-1')).toBeNull()
  })

  it('is nothing on a page without links', async () => {
    const plain = await aPage()
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${tokenOf(linkFor('claim-1'))}`,
    }
    for (const at of ['/answer', '/answer/question']) {
      const { status } = await ask(`${plain.origin}${at}`, { method: 'POST', headers }, JSON.stringify(given))
      expect(status).toBe(404)
    }
    await plain.close()
  })

  it.skipIf(path === null)('is answered in a browser', async () => {
    const browser = await Browser.open(path ?? '')
    const page = await browser.visit(linkFor('claim-2').replace(options.publicUrl, store.origin))
    await page.until(`document.querySelector('form select')`)
    await examine(page, 'answer')
    expect(await page.evaluate(`document.querySelector('.message').textContent`)).toBe('Pay this claim?')
    await page.evaluate(`document.querySelector('form button').click()`)
    await page.until(`document.querySelector('[role="alert"]')?.textContent === 'Give Pay the claim.'`)
    for (const [name, value] of [
      ['answer-0', 'true'],
      ['answer-1', '7'],
    ])
      await page.evaluate(
        `new Promise((resolve) => {
          const field = document.querySelector('[name="${name ?? ''}"]')
          field.value = '${value ?? ''}'
          field.dispatchEvent(new Event('input', { bubbles: true }))
          requestAnimationFrame(() => setTimeout(resolve))
        })`,
      )
    await page.evaluate(`document.querySelector('form button').click()`)
    await page.until(`document.querySelector('[role="status"]')?.textContent.includes('stored')`)
    await examine(page, 'answered')
    expect(await eventOf('claim-2')).toMatchObject({ payload: { approved: true, amount: 7 }, by: 'ann' })
    const again = await browser.visit(linkFor('claim-2').replace(options.publicUrl, store.origin))
    await again.until(`document.querySelector('[role="status"]')?.textContent.includes('cannot be used')`)
    await examine(again, 'not-open')
    expect(await again.evaluate(`document.querySelectorAll('form').length`)).toBe(0)
    expect([page.complaints, again.complaints.filter((line) => !line.includes('403'))]).toEqual([[], []])
    await browser.close()
  })
})

/** Brings axe into a page, which must have no violations in any window, and takes pictures of it if they are wanted. */
async function examine(page: Page, name: string): Promise<void> {
  await page.evaluate(`${axe.source}; null`)
  for (const width of [390, 1280]) {
    for (const isDark of [false, true]) {
      await page.look({ width, height: width < 500 ? 844 : 900, isDark })
      const found = await page.evaluate(
        `axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
      )
      expect(found, `${name} ${width}`).toEqual([])
      if (pictures === undefined) continue
      await mkdir(pictures, { recursive: true })
      const file = join(pictures, `${name}-${width}-${isDark ? 'dark' : 'light'}.png`)
      await writeFile(file, await page.picture())
    }
  }
}
