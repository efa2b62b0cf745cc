import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../../src/page/api/routes.js'
import { anyBrowserPath, Browser, type Page } from '../../support/browser.js'
import { aPage, hostile, putQuestion, reminding, type APage } from './a-page.js'
import { answerDialog, clickOn, closeDialog, control, typeInto } from './controls.js'

const path = await anyBrowserPath()
const pictures = process.env['PAGE_PICTURES']
let store: APage

beforeAll(async () => {
  store = await aPage()
  for (const jobId of ['claim-0', 'claim-1', 'claim-2', 'claim-3']) await putQuestion(store, jobId)
})
afterAll(() => store.close())

interface Listed {
  readonly questions: readonly { readonly jobId: string; readonly title: string }[]
  readonly isCut: boolean
}

async function inbox(query = ''): Promise<Listed> {
  const { status, text } = await store.get(`/api/inbox${query}`)
  expect(status, text).toBe(200)
  return routes.find((route) => route.path === '/api/inbox')?.answer.parse(JSON.parse(text)) as Listed
}

const idsIn = ({ questions }: Listed): string[] => questions.map(({ jobId }) => jobId)

const answer = (jobId: string, given: unknown) =>
  store.post('/api/actions/answer', {
    job: { jobId },
    step: 'review',
    answer: given,
    note: `seen ${hostile}`,
  })

describe('the API of questions', () => {
  it('lists open questions by assignee and workflow, the oldest first, and says whether there are more', async () => {
    expect(idsIn(await inbox())).toEqual(['claim-0', 'claim-1', 'claim-2', 'claim-3'])
    expect(idsIn(await inbox('?assignee=ada&workflow=claiming'))).toHaveLength(4)
    expect(idsIn(await inbox('?assignee=eve'))).toEqual([])
    expect(idsIn(await inbox('?workflow=buying'))).toEqual([])
    const first = await inbox('?limit=2')
    expect([idsIn(first), first.isCut]).toEqual([['claim-0', 'claim-1'], true])
    expect((await inbox('?limit=4')).isCut).toBe(false)
    expect((await store.get('/api/inbox?limit=0')).status).toBe(400)
  })

  it('keeps the answer with the name of the person and the note', async () => {
    const given = { approved: true, amount: 20 }
    expect((await answer('claim-1', given)).status).toBe(200)
    const { text } = await store.get('/api/job?jobId=claim-1')
    const { steps } = JSON.parse(text) as { steps: { event: unknown }[] }
    expect(steps[0]?.event).toMatchObject({ payload: given, by: 'ada', note: `seen ${hostile}` })
    expect(idsIn(await inbox())).not.toContain('claim-1')
  })

  it('refuses an answer that does not fit, a second answer, the name of another person, and an unknown job', async () => {
    const wrong = await answer('claim-2', { approved: 'perhaps', amount: 20 })
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('approved')])
    const second = await answer('claim-1', { approved: false, amount: 0 })
    expect([second.status, second.text]).toEqual([409, expect.stringContaining('already answered by ada')])
    expect((await answer('none', true)).status).toBe(404)
    const forged = { job: { jobId: 'claim-2' }, step: 'review', answer: true, by: 'eve' }
    expect((await store.post('/api/actions/answer', forged)).status).toBe(400)
    expect(idsIn(await inbox())).toContain('claim-2')
  })
})

describe.skipIf(path === null)('questions in a browser', () => {
  let browser: Browser
  let page: Page

  beforeAll(async () => {
    browser = await Browser.open(path ?? '')
    page = await browser.visit(store.address())
    await page.until(`document.querySelector('header nav')`)
  })
  afterAll(() => browser.close())

  const card = (jobId: string): string =>
    `[...document.querySelectorAll('.question')].find((one) => one.textContent.includes('${jobId}'))`

  async function choose(name: string, value: string): Promise<void> {
    await page.evaluate(`(() => {
      const field = document.querySelector('dialog [name="${name}"]')
      field.value = ${JSON.stringify(value)}
      field.dispatchEvent(new Event('input', { bubbles: true }))
    })()`)
  }

  const isReady = `!document.querySelector('dialog button.primary').disabled`
  const problem = `document.querySelector('dialog .buttons .quiet').textContent`

  it('the Inbox shows a question as it is put; its form says what is missing, and the command', async () => {
    await page.begin(`${store.origin}/inbox`)
    await page.until(card('claim-0'))
    await page.until(`document.querySelector('.live')?.textContent === 'live'`)
    await putQuestion(store, 'claim-live', `Pay ${hostile}?`)
    expect(await page.until<string>(`${card('claim-live')}?.textContent`)).toContain('<img src=x')
    await page.evaluate(`${card('claim-live')}.querySelector('button').click()`)
    await page.until(`document.querySelector('dialog[open]')`)
    expect(await page.evaluate(problem)).toBe('Give Pay the claim.')
    expect(await page.evaluate(isReady)).toBe(false)
    await choose('answer-0', 'false')
    await choose('answer-1', '12.5')
    await choose('answer-2', '3')
    await choose('answer-4', '["roof')
    await page.until(`${problem} === 'items is not JSON.'`)
    await choose('answer-4', '["roof"]')
    await typeInto(page, `document.querySelector('dialog [name="note"]')`, "it's old")
    await page.until(isReady)
    const answered = '{"approved":false,"amount":12.5,"reason":3,"items":["roof"]}'
    expect(await page.evaluate(`document.querySelector('dialog code').textContent`)).toContain(
      `stepward answer --answer='${answered}' --note='it'\\''s old'`,
    )
    await page.evaluate(`document.querySelector('dialog button.primary').click()`)
    expect(await page.until<string>(`document.querySelector('.result')?.textContent`)).toContain(
      '1 job accepted',
    )
    await closeDialog(page)
    await page.until(`${card('claim-live')} === undefined`)
    await store.telemetry.waitFor('job.finished', (event) => event.jobId === 'claim-live')
    expect(await page.evaluate(`document.querySelectorAll('main img').length`)).toBe(0)
    expect(page.complaints).toEqual([])
  })

  it('the answer of another person is told, and the list shows the truth', async () => {
    const first = page
    page = await browser.visit(store.address())
    await page.until(`document.querySelector('header nav')`)
    await page.begin(`${store.origin}/inbox`)
    await page.until(card('claim-2'))
    await page.evaluate(`${card('claim-2')}.querySelector('button').click()`)
    await page.until(`document.querySelector('dialog[open]')`)
    await store.host.client.answer('claim-2', 'review', { approved: true, amount: 1 }, { by: 'grace' })
    await choose('answer-0', 'true')
    await choose('answer-1', '2')
    await page.until(isReady)
    await page.evaluate(`document.querySelector('dialog button.primary').click()`)
    expect(await page.until<string>(`document.querySelector('dialog .problem')?.textContent`)).toContain(
      'already answered by grace',
    )
    await closeDialog(page)
    await page.until(`${card('claim-2')} === undefined`)
    page = first
  })

  it('a filter in the address shows only the questions of a person', async () => {
    await page.begin(`${store.origin}/inbox?assignee=eve`)
    await page.until(`document.querySelector('main').textContent.includes('No question waits.')`)
    await page.evaluate(`document.querySelector('main input[type=checkbox]').click()`)
    await page.until(card('claim-0'))
    await page.evaluate(`document.querySelector('main input[type=checkbox]').click()`)
    await page.until(`location.search === '?assignee=ada' && ${card('claim-0')}`)
  })

  it('the view of the job shows the question and who answered it, and offers no event', async () => {
    await page.begin(`${store.origin}/job?jobId=claim-3`)
    await page.until(control('Answer'))
    expect(await page.evaluate(`${control('Raise event')} === undefined`)).toBe(true)
    expect(await page.evaluate(`document.querySelector('#step').textContent`)).toContain('Pay this claim?')
    await clickOn(page, 'Answer')
    const said = await answerDialog(page, { 'answer-0': 'true', 'answer-1': '3', note: 'by the book' })
    expect(said).toContain('1 job accepted')
    await closeDialog(page)
    await page.until(`document.querySelector('.timeline').textContent.includes('answered by ada')`)
    expect(page.complaints).toEqual([])
  })

  it('a problem group of unanswered questions has a button that answers', async () => {
    await store.host.client.submit(reminding, {}, { jobId: 'slow-1' })
    await store.telemetry.waitFor('attention.raised', (event) => event.jobId === 'slow-1')
    await page.begin(`${store.origin}/inbox`)
    const group = `[...document.querySelectorAll('.group')].find((one) => one.textContent.includes('slow-1'))`
    await page.until(`${group}?.querySelector('button.primary')`)
    expect(await page.evaluate(`${group}.querySelector('h2').textContent`)).toContain('unanswered')
    // The question after it is not put yet, and waits for no event.
    await page.begin(`${store.origin}/job?jobId=slow-1`)
    await page.until(control('Answer'))
    expect(await page.evaluate(`${control('Raise event')} === undefined`)).toBe(true)
    await page.begin(`${store.origin}/inbox`)
    await page.until(`${group}?.querySelector('button.primary')`)
    await page.evaluate(`${group}.querySelector('button.primary').click()`)
    const said = await answerDialog(page, { 'answer-0': 'true' })
    expect(said).toContain('1 job accepted')
    await closeDialog(page)
    await page.until(`${group} === undefined`)
    const view = await (await store.host.client.get('slow-1'))?.view()
    expect(view?.steps.find(({ stepId }) => stepId === 'confirm')?.state).toBe('Processed')
    expect(page.complaints).toEqual([])
  })

  it.skipIf(pictures === undefined)('has pictures of the form', async () => {
    await page.begin(`${store.origin}/inbox`)
    await clickOn(page, 'Answer')
    await mkdir(pictures ?? '', { recursive: true })
    for (const width of [390, 1280, 1920]) {
      for (const isDark of [false, true]) {
        await page.look({ width, height: width < 500 ? 844 : 1080, isDark })
        const name = `answer-${width}-${isDark ? 'dark' : 'light'}.png`
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
        await writeFile(join(pictures ?? '', name), await page.picture())
      }
    }
  })
})
