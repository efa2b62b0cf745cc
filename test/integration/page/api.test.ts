import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { routes } from '../../../src/page/api/routes.js'
import { defineAgent, defineWorkflow } from '../../../src/sas/index.js'
import { stepDocumentId } from '../../../src/sas/model/document-ids.js'
import { processorNameOf } from '../../../src/connection/internal.js'
import { aPage, buying, hostile, type APage } from './a-page.js'

let page: APage

const other = defineAgent('other', { work: () => null })

/** A job whose agent no instance has. */
const ofOther = defineWorkflow('of-other', (job) => void job.step('work', other.work, {}, { undo: 'none' }))

interface Description {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

beforeAll(async () => {
  page = await aPage()
  for (const [jobId, isRefused] of [
    ['good', false],
    [`bad ${hostile}`, true],
    ['bad-2', true],
    ['..', true],
  ] as const) {
    const tags = { customer: isRefused ? 'other' : 4711 }
    await page.host.client.submit(buying, { jobId, isRefused, amount: 7 }, { jobId, tags })
    if (isRefused) await page.telemetry.waitFor('attention.raised', (event) => event.jobId === jobId)
  }
  await page.telemetry.waitFor('step.settled', (event) => event.jobId === 'good' && event.stepId === 'pay')
})
afterAll(() => page.close())

/** Reads an answer by the shape that the API declares for it. */
async function read<T>(path: string): Promise<T> {
  const { status, text } = await page.get(path)
  expect(status, text).toBe(200)
  return shaped('GET', path, JSON.parse(text)) as T
}

async function act(action: string, body: unknown, expected = 200): Promise<Record<string, unknown>> {
  const { status, text } = await page.post(`/api/actions/${action}`, body)
  expect(status, text).toBe(expected)
  const answer = JSON.parse(text) as Record<string, unknown>
  if (status === 200) shaped('POST', `/api/actions/${action}`, answer)
  return answer
}

function shaped(method: string, path: string, value: unknown): unknown {
  const route = routes.find((known) => known.path === path.split('?')[0] && known.method === method)
  return route?.answer.parse(value)
}

describe('a filter that finds nothing', () => {
  const warnings = ['there is no job of workflow "buyng" yet: did you mean "buying"?']

  it.each(['/api/jobs?workflow=buyng', '/api/attention?workflow=buyng'])('%s names it', async (path) => {
    expect(await read(path)).toMatchObject({ warnings })
  })

  it('is named by an action', async () => {
    const body = { filter: { workflow: 'buyng' }, why: 'tested' }
    expect(await act('resubmit', body)).toMatchObject({ done: [], warnings })
    expect(await act('cancel', { ...body, dryRun: true })).toMatchObject({ done: [], warnings })
  })

  it('is not misspelt if it names a workflow of jobs, or of the module of the page', async () => {
    expect(await read('/api/jobs?workflow=packing')).toMatchObject({ jobs: [], warnings: [] })
    expect(await read('/api/attention?workflow=buying&since=2020-01-01&until=2020-01-02')).toMatchObject({
      warnings: [],
    })
  })
})

describe('the description of the API', () => {
  it('lists exactly the paths that the server answers', async () => {
    const { text } = await page.get('/api/openapi.json')
    const { openapi, paths } = JSON.parse(text) as Description
    expect(openapi).toBe('3.1.0')
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const served = routes.map(({ method, path }) => `${method} ${path}`)
    expect(described.toSorted()).toEqual([...served, 'GET /api/changes', 'GET /api/openapi.json'].toSorted())
    for (const { method, path } of routes) {
      const answer = method === 'GET' ? await page.get(path) : await page.post(path, {})
      expect(answer.status, path).not.toBe(404)
      expect(answer.status, path).toBeLessThan(500)
    }
    expect((await page.get('/api/other')).status).toBe(404)
  })

  it('describes each parameter that a route reads', async () => {
    const { text } = await page.get('/api/openapi.json')
    const { paths } = JSON.parse(text) as {
      paths: Record<string, { get: { parameters: { name: string }[] } }>
    }
    const names = paths['/api/jobs']?.get.parameters.map(({ name }) => name)
    const filters = [
      'workflow',
      'state',
      'step',
      'since',
      'until',
      'tag',
      'text',
      'waitingFor',
      'agent',
      'took',
    ]
    expect(names).toEqual([...filters, 'attention', 'before', 'limit'])
  })
})

describe('reads', () => {
  it('jobs with the filters of the command line', async () => {
    type Listed = { jobs: { jobId: string }[]; next: string | null }
    const idsOf = async (query: string) =>
      (await read<Listed>(`/api/jobs?${query}`)).jobs.map((job) => job.jobId)
    expect(await idsOf('')).toHaveLength(4)
    expect((await idsOf('attention=true')).toSorted()).toEqual(['..', `bad ${hostile}`, 'bad-2'])
    expect(await idsOf('state=Processing')).toEqual(['good'])
    expect(await idsOf('workflow=none')).toEqual([])
    expect(await idsOf('tag=customer%3D4711')).toEqual(['good'])
    expect(await idsOf('tag=customer%3D4712')).toEqual([])
    expect(await idsOf('step=pay&since=1h')).toHaveLength(3)
    expect(await idsOf('before=2001-01-01')).toEqual([])
    expect(await idsOf('until=2001-01-01')).toEqual([])
    expect(await idsOf('until=2001-01-01&before=2100-01-01')).toEqual([])
    expect(await idsOf('text=BAD-')).toEqual(['bad-2'])
    expect(await idsOf('waitingFor=event')).toEqual(['good'])
    expect(await idsOf('waitingFor=retry')).toEqual([])
    expect(await idsOf('agent=bank')).toEqual([])
    expect(await idsOf('took=1ms&text=bad-')).toEqual(['bad-2'])
    expect(await idsOf('took=1d')).toEqual([])
  })

  it('jobs with the request units of their query, also at the same time as others', async () => {
    const charges = await Promise.all(
      ['', 'state=Error', 'waitingFor=retry'].map(
        async (query) => (await read<{ charge: number }>(`/api/jobs?${query}`)).charge,
      ),
    )
    expect(charges.every((charge) => charge > 0 && charge < 20)).toBe(true)
    expect((await read<{ charge: number }>('/api/jobs?')).charge).toBe(charges[0])
  })

  it('pages that follow one another', async () => {
    const seen: string[] = []
    let query = 'limit=1'
    for (let pages = 0; pages < 4; pages += 1) {
      const { jobs, next } = await read<{ jobs: { jobId: string }[]; next: string | null }>(
        `/api/jobs?${query}`,
      )
      seen.push(...jobs.map(({ jobId }) => jobId))
      query = `limit=1&before=${encodeURIComponent(next ?? '')}`
      expect(next === null).toBe(pages === 3)
    }
    expect(new Set(seen).size).toBe(4)
  })

  it.each([
    'state=Errors',
    'limit=0',
    'colour=red',
    'since=soon',
    'before=x',
    'workflow=',
    'tag=customer',
    'took=long',
    'waitingFor=x',
    'text=',
  ])('nothing with the wrong parameter %s', async (query) => {
    const { status, text } = await page.get(`/api/jobs?${query}`)
    expect(status).toBe(400)
    expect(JSON.parse(text)).toMatchObject({ error: { name: 'RequestInvalid' } })
  })

  it.each([
    ['tag=x', 'tag "x" must be NAME=VALUE, such as customer=4711'],
    ['limit=abc', 'limit "abc" must be a whole number from 1 to 500'],
    ['limit=0.5', 'limit "0.5" must be a whole number from 1 to 500'],
  ])('nothing with %s, and says the rule', async (query, message) => {
    const { text } = await page.get(`/api/jobs?${query}`)
    expect(JSON.parse(text)).toEqual({ error: { name: 'RequestInvalid', message } })
  })

  it('a decision about a name that may be misspelt, with a warning', async () => {
    const set = await act('limit/set', { key: 'zzz', atOnce: '1', why: 'x' })
    expect(set['warnings']).toEqual([expect.stringContaining('no step or job has come to limit "zzz" today')])
    const targets = [
      ['workflow', 'buyin', ['there is no job of workflow "buyin" yet: check the name']],
      ['agent', 'labb', ['no running instance has agent "labb" yet: check the name']],
      ['key', 'yyy', [expect.stringContaining('no step or job has come to limit "yyy" today')]],
      ['workflow', 'buying', []],
      ['agent', 'bank', []],
    ] as const
    for (const [kind, name, warnings] of targets) {
      const paused = await act('pause', { target: { kind, name }, dryRun: true })
      expect(paused['warnings'], name).toEqual(warnings)
    }
  })

  it('a decision about a name that the module of the page defines, without a warning', async () => {
    for (const [kind, name] of [
      ['workflow', 'packing'],
      ['agent', 'packer'],
      ['key', 'packers'],
    ]) {
      const paused = await act('pause', { target: { kind, name }, dryRun: true })
      expect(paused['warnings'], name).toEqual([])
    }
    const set = await act('limit/set', { key: 'packers', atOnce: '1', why: 'x' })
    expect(set['warnings']).toEqual([])
    for (const [action, more] of [
      ['pause', { target: { kind: 'key', name: 'desk' } }],
      ['limit/set', { key: 'desk', atOnce: '1' }],
    ] as const) {
      expect(await act(action, { ...more, why: 'x' }, 400)).toMatchObject({
        error: { message: expect.stringContaining('each partition has a limit "desk" of its own') as string },
      })
    }
    expect(await page.host.client.limits.get('desk')).toBeNull()
  })

  it('each dry run without a reason', async () => {
    const dryRun = true
    expect(await act('cancel', { job: { jobId: 'good' }, dryRun })).toMatchObject({ isDryRun: true })
    expect(await act('resubmit', { job: { jobId: 'bad-2' }, dryRun })).toMatchObject({ done: ['bad-2'] })
    expect(await act('pause', { target: { kind: 'workflow', name: 'buying' }, dryRun })).toMatchObject({
      done: ['buying'],
    })
    const times = { from: '2h', to: '1h' }
    expect(await act('schedule/backfill', { schedule: 'counting', ...times, dryRun })).toMatchObject({
      done: [],
    })
    for (const { path, asked } of routes) {
      const { dryRun: tried, why } = asked.shape as Readonly<Record<string, z.ZodType>>
      if (tried !== undefined && why !== undefined) expect(why.safeParse(undefined).success, path).toBe(true)
    }
  })

  it.each([
    ['pause', { why: 'x' }, 'name exactly one of job, jobs and target'],
    ['cancel', { why: 'x' }, 'name exactly one of job, jobs and filter'],
    ['cancel', { job: { jobId: 'good' } }, 'why is missing: say why'],
    ['cancel', { job: { jobId: 'good' }, why: ' ' }, 'why is missing: say why'],
    [
      'pause',
      { workflow: 'buying', why: 'x' },
      'unknown field "workflow": the fields are job, jobs, dryRun, operation, target, why',
    ],
    [
      'cancel',
      { jobs: [{ id: 'good' }], why: 'x' },
      'jobs.0.jobId is missing; unknown field "id" in jobs.0: the fields are jobId, partitionKey',
    ],
  ])('no action %s with %j, and says why', async (action, body, message) => {
    expect(await act(action, body, 400)).toEqual({ error: { name: 'RequestInvalid', message } })
  })

  it('one job with inputs, outputs and advice', async () => {
    const bad = await read<Record<string, unknown>>(`/api/job?jobId=${encodeURIComponent(`bad ${hostile}`)}`)
    expect(bad).toMatchObject({
      jobId: `bad ${hostile}`,
      state: 'Error',
      input: { isRefused: true, amount: 7 },
      advice: { advice: 'repair the cause, then try the step again' },
      steps: [
        { stepId: 'check', state: 'Processed', output: { paid: 1 } },
        { stepId: 'pay', state: 'Error', input: { isRefused: true, amount: 7 }, dependsOn: ['check'] },
        { stepId: 'delivery', kind: 'waitFor' },
      ],
    })
    expect(await read('/api/job?jobId=..')).toMatchObject({ jobId: '..' })
    expect((await page.get('/api/job?jobId=none')).status).toBe(404)
  })

  it('which agents a job lacks, in a call of its own, because it costs request units', async () => {
    const { why } = await read<{ why: string }>('/api/job?jobId=good')
    expect(why).toMatch(/^Step delivery waits/)
    expect(await read('/api/lacking?jobId=good')).toEqual({ why: null })
    await page.host.client.submit(ofOther, {}, { jobId: 'alone' })
    await page.telemetry.waitFor('document.refused', () => true)
    const lacking = await read<{ why: string }>('/api/lacking?jobId=alone')
    expect(lacking.why).toMatch(
      /^No instance that reads the feed range of this job has agent other: start one/,
    )
    const alone = await page.host.client.get('alone')
    const told = await alone?.view({ readsLeases: true })
    const plain = await alone?.view()
    expect(told?.why).toBe(`${lacking.why} ${plain?.why ?? ''}`)
    await page.host.client.cancel('alone', 'seen')
    expect((await page.get('/api/lacking?jobId=none')).status).toBe(404)
  })

  it('problems in groups, numbers, leases, lag and findings', async () => {
    const { groups } = await read<{ groups: object[] }>('/api/attention')
    expect(groups).toMatchObject([{ kind: 'error', workflow: 'buying', stepId: 'pay' }])
    expect(await read('/api/counts')).toMatchObject({ Error: 3, Processing: 1 })
    const processorName = processorNameOf('scheduler', undefined)
    expect(await read('/api/leases')).toContainEqual(expect.objectContaining({ processorName }))
    expect(await read(`/api/lag?processor=${processorName}`)).toMatchObject({ leases: [{ processorName }] })
    expect(await read('/api/findings')).toEqual(expect.any(Array))
    expect((await page.get('/api/leases?processor=none')).status).toBe(404)
    const workflows = [{ name: 'buying' }, { name: 'packing' }]
    expect(await read('/api/about')).toMatchObject({ by: 'ada', workflows })
  })
})

it('dead letters have the names of errors, and nothing else that an error may carry', async () => {
  const poison = { id: 'poison', partitionKey: '/id' }
  const { container } = await page.store.client().database('stepward').containers.create(poison)
  const names = [
    ['RangeError', 'RangeError'],
    ['E', 'E'],
    ['x'.repeat(60), 'x'.repeat(60)],
    ['x'.repeat(61), 'Error'],
    ['card 4711', 'Error'],
    ['4711', 'Error'],
    ['Ünfug', 'Error'],
    ['A\nB', 'Error'],
    ['', 'Error'],
  ]
  for (const [index, [name]] of names.entries()) {
    const error = { name, message: 'secret-message', stack: 'secret-stack', code: 'secret-code' }
    await container.items.create({ id: String(index), documentId: String(index), leaseToken: '0', error })
  }
  const letters = await read<{ documentId: string; error: string }[]>('/api/dead-letters?container=poison')
  const shown = new Map(letters.map(({ documentId, error }) => [documentId, error]))
  expect(names.map((_, index) => shown.get(String(index)))).toEqual(names.map(([, name]) => name))
  expect(JSON.stringify(letters)).not.toContain('secret')
})

describe('actions', () => {
  it('write nothing in a dry run, and keep the name and the reason otherwise', async () => {
    const job = { jobId: 'bad-2' }
    expect(await act('cancel', { job, why: 'wrong card', dryRun: true })).toEqual({
      isDryRun: true,
      done: ['bad-2'],
      refused: [],
      plans: [{ jobId: 'bad-2', stopped: [], undone: [], kept: ['check'], uncertain: [] }],
    })
    expect(await read('/api/job?jobId=bad-2')).toMatchObject({ state: 'Error', audit: [] })
    await act('cancel', { job, why: 'wrong card' })
    expect(await read('/api/job?jobId=bad-2')).toMatchObject({
      audit: [{ command: 'cancel', by: 'ada', why: 'wrong card' }],
    })
  })

  it('say before a cancellation what becomes of the steps of the first 20 jobs', async () => {
    const ids = Array.from({ length: 21 }, (_, index) => `many-${index}`)
    for (const jobId of ids) {
      const job = await page.host.client.submit(buying, { jobId, isRefused: false, amount: 1 })
      for await (const { why } of job.updates()) if (why.includes('delivery')) break
    }
    const plan = { stopped: ['delivery'], undone: [], kept: ['check', 'pay'], uncertain: [] }
    const plansOf = (done: string[]) => done.slice(0, 20).map((jobId) => ({ jobId, ...plan }))
    const jobs = [{ jobId: 'good-none' }, ...ids.map((jobId) => ({ jobId, partitionKey: jobId }))]
    const named = await act('cancel', { jobs, dryRun: true })
    expect(named).toMatchObject({ refused: [{ jobId: 'good-none' }], plans: plansOf(ids) })
    const found = await act('cancel', { filter: { text: 'many-' }, dryRun: true })
    expect(found['done']).toHaveLength(21)
    expect(found['plans']).toEqual(plansOf(found['done'] as string[]))
    const done = await act('cancel', { filter: { text: 'many-' }, why: 'seen' })
    expect(done).not.toHaveProperty('plans')
  })

  it('on a selection list the jobs that refuse', async () => {
    const jobs = [{ jobId: 'good' }, { jobId: `bad ${hostile}` }, { jobId: 'none' }]
    const named = await act('resubmit', { jobs, why: 'again', dryRun: true })
    expect(named).toMatchObject({ done: [`bad ${hostile}`], refused: [{ jobId: 'good' }, { jobId: 'none' }] })
    const filter = { workflow: 'buying', state: 'Error' }
    const matching = await act('resubmit', { filter, why: 'again', dryRun: true })
    expect(matching['done']).toContain('..')
  })

  it('resubmit a step with another input', async () => {
    const job = { jobId: '..' }
    const edited = { job, step: 'pay', input: { isRefused: false, amount: 8 } }
    expect(await act('resubmit', { ...edited, dryRun: true })).not.toHaveProperty('warnings')
    const container = page.store.client().database('stepward').container('state')
    const step = container.item(stepDocumentId('..', 'pay'), '..')
    await step.patch([{ op: 'set', path: '/mayHaveActed', value: true }])
    const warnings = [
      expect.stringMatching(
        /^step pay of job \.\. may have acted: another input gives the step a new/,
      ) as string,
    ]
    expect(await act('resubmit', { ...edited, dryRun: true })).toMatchObject({ warnings })
    const same = { job, step: 'pay', dryRun: true }
    expect(await act('resubmit', same), 'the same input keeps the key').not.toHaveProperty('warnings')
    expect(await act('resubmit', { ...edited, why: 'corrected' })).toMatchObject({ warnings })
    await page.telemetry.waitFor(
      'step.settled',
      (event) => event.jobId === '..' && event.outcome === 'success' && event.stepId === 'pay',
    )
    interface Shown {
      readonly steps: object[]
      readonly audit: { readonly edit?: { readonly changes: object[] } }[]
    }
    const { steps, audit } = await read<Shown>('/api/job?jobId=..')
    expect(steps).toContainEqual(expect.objectContaining({ stepId: 'pay', output: { paid: 8 } }))
    const amount = { stepId: 'pay', path: 'input.amount', before: '7', after: '8' }
    expect(audit.at(-1)?.edit?.changes).toContainEqual(amount)
  })

  it('raise the event of a step', async () => {
    await act('raise', { job: { jobId: 'good' }, step: 'delivery', payload: { at: 'noon' } })
    await page.telemetry.waitFor('job.finished', ({ jobId }) => jobId === 'good')
    expect(await read('/api/job?jobId=good')).toMatchObject({ state: 'Processed' })
  })

  it('submit a job of the module', async () => {
    const input = { jobId: 'new', isRefused: false, amount: 1 }
    expect(await act('submit', { workflow: 'buying', input })).toEqual({ jobId: 'new', partitionKey: 'new' })
    expect(await read('/api/job?jobId=new')).toMatchObject({ input })
    await act('submit', { workflow: 'buying', input: { ...input, amount: 2 } }, 409)
    await act('submit', { workflow: 'selling', input }, 400)
  })

  it.each([
    ['cancel', { job: { jobId: 'new' } }, 400],
    ['cancel', { job: { jobId: 'new' }, why: '  ' }, 400],
    ['cancel', { why: 'all' }, 400],
    ['cancel', { job: { jobId: 'new' }, filter: {}, why: 'both' }, 400],
    ['resubmit', { jobs: [{ jobId: 'new' }], step: 'pay', why: 'many' }, 400],
    ['resubmit', { job: { jobId: 'new' }, why: 'not in Error' }, 409],
    ['release', { job: { jobId: 'none' } }, 404],
    ['resend', { job: { jobId: 'new' } }, 409],
  ])('%s refuses %j', async (action, body, status) => {
    const before = await read('/api/job?jobId=new')
    expect(await act(action, body, status)).toMatchObject({
      error: { message: expect.any(String) as string },
    })
    expect(await read('/api/job?jobId=new')).toMatchObject({ audit: (before as { audit: [] }).audit })
  })

  it('resend finds no notice in a store without notices', async () => {
    expect(await act('resend', { filter: {}, dryRun: true })).toEqual({
      isDryRun: true,
      done: [],
      refused: [],
    })
  })
})
