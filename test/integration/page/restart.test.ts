import { afterAll, beforeAll, expect, it } from 'vitest'
import { routes } from '../../../src/page/api/routes.js'
import { commandOf } from '../../../src/page/browser/state/commands.js'
import { aPage, buying, type APage } from './a-page.js'

let page: APage

beforeAll(async () => {
  page = await aPage()
  const input = { jobId: 'bad', isRefused: true, amount: 7 }
  await page.host.client.submit(buying, input, { jobId: 'bad' })
  await page.telemetry.waitFor('attention.raised', (event) => event.jobId === 'bad')
})
afterAll(() => page.close())

async function restart(body: object, expected = 200): Promise<unknown> {
  const { status, text } = await page.post('/api/actions/restart', { why: 'corrected', from: 'pay', ...body })
  expect(status, text).toBe(expected)
  return JSON.parse(text)
}

async function job(jobId: string): Promise<unknown> {
  const { text } = await page.get(`/api/job?jobId=${jobId}`)
  return routes.find(({ path }) => path === '/api/job')?.answer.parse(JSON.parse(text))
}

it('the page restarts a job from a step with another input, after a dry run', async () => {
  const body = { job: { jobId: 'bad' }, after: 'keep', input: { jobId: 'bad', isRefused: false, amount: 8 } }
  const report = { isDryRun: true, done: ['bad'], refused: [] }
  expect(await restart({ ...body, dryRun: true })).toEqual(report)
  expect(await job('bad')).toMatchObject({ state: 'Error', restartedAs: null })
  expect(await restart(body)).toEqual({ ...report, isDryRun: false })
  expect(await job('bad')).toMatchObject({
    restartedAs: { jobId: 'bad.r1', from: 'pay' },
    audit: [{ command: 'restart', as: 'bad.r1', why: 'corrected' }],
  })
  expect(await job('bad.r1')).toMatchObject({ restartOf: { jobId: 'bad', from: 'pay' } })
  await restart({ job: { jobId: 'bad' }, from: 'other' }, 409)
  await restart({ jobs: [{ jobId: 'bad' }], input: 1 }, 400)
})

it('the page shows the command that restarts a job', () => {
  const action = { kind: 'restart', jobId: 'bad', why: 'typo', input: '{}' } as const
  expect(commandOf({ ...action, fields: { from: 'pay', after: 'keep' } })).toBe(
    "printf %s '{}' > input.json && stepward restart --from pay --after keep --input input.json --why typo bad",
  )
})
