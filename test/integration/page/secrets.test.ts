import { get as httpGet } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { keepVersions } from '../../../src/connection/keep-versions.js'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { startHost, type Host } from '../../../src/host/index.js'
import { servePage, type ServedPage } from '../../../src/page/index.js'
import { routes } from '../../../src/page/api/routes.js'
import {
  defineAgent,
  defineWorkflow,
  text,
  type AgentContext,
  type JobHistory,
} from '../../../src/sas/index.js'
import { isWorkflow } from '../../../src/sas/internal.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { ask } from './a-page.js'

/** Every secret begins with the same letters, which nothing else contains. */
const mark = 'ZQX'
const card = { number: `${mark}-4111"\\<b>`, cvc: 271_828 }
const token = `${mark}-token`

const vault = defineAgent('vault', {
  pay: async (
    { number, note }: { readonly number: string; readonly note: string },
    context: AgentContext,
  ): Promise<unknown> => {
    await context.progress({ note: `charging ${number}` })
    return number.endsWith('refused')
      ? context.failPermanently(`${note} is refused: ${JSON.stringify({ number })}`)
      : { token }
  },
  refund: ({ token: paid }: { readonly token: string }) => ({ paid }),
  ship: (_input: object, context: AgentContext) => context.failPermanently(`no address for ${token}`),
})

const inputSchema = z.object({
  id: z.string(),
  card: z.object({ number: z.string(), cvc: z.number() }).meta({ secret: true }),
})

const paying = defineWorkflow<z.infer<typeof inputSchema>>(
  'paying',
  (job) => {
    const { number } = job.input.card
    const pay = job.step(
      'pay',
      vault.pay,
      { number, note: text`card ${number}` },
      {
        undo: (output) => vault.refund({ token: (output as unknown as { token: never }).token }),
      },
    )
    const confirm = job.ask('confirm', {
      title: 'Which code did you get?',
      completeWithin: '1d',
      form: z.object({ code: z.string().meta({ secret: true }) }),
      after: [pay],
    })
    job.step('ship', vault.ship, { code: confirm.output, paid: pay.output }, { undo: 'none' })
    return { receipt: { paid: pay.output } }
  },
  { input: inputSchema, jobId: ({ id }) => id, secrets: ['steps.pay.output.token'] },
)

const parsing = defineWorkflow<unknown>('parsing', (job) => void job.sleep('rest', '1d'), {
  parse: (input) => {
    throw new Error(`cannot read ${JSON.stringify(input)}`)
  },
  secrets: ['input.card'],
})

const plain = defineWorkflow<{ readonly id: string }>('plain', (job) => void job.sleep('rest', '1d'), {
  jobId: ({ id }) => id,
})

let store: ReturnType<typeof createInProcessCosmos>
const telemetry = new TelemetryRecorder()
let host: Host
let page: ServedPage
let origin = ''
let cookie = ''

beforeAll(async () => {
  store = createInProcessCosmos()
  host = await startHost({ embedded: store, agents: [vault], telemetry })
  await keepVersions(store.client().database('stepward').container('state'), 3_600_000)
  page = await servePage({
    settings: { embedded: store, provision: false },
    port: 0,
    by: 'ada',
    workflows: [paying as unknown, parsing as unknown, plain as unknown].filter(isWorkflow),
    onOpened: () => undefined,
  })
  origin = new URL(page.address).origin
  const { headers } = await ask(page.address)
  cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? ''
})
afterAll(async () => {
  await page.close()
  await host.stop()
  await store.close()
})

const get = async (path: string): Promise<string> =>
  (await ask(`${origin}${path}`, { headers: { cookie } })).text
const post = (path: string, body: unknown) =>
  ask(
    `${origin}${path}`,
    { method: 'POST', headers: { cookie, origin, 'content-type': 'application/json' } },
    JSON.stringify(body),
  )

/** The parameters that routes need. Without them, a route would answer with a refusal. */
const asked: Readonly<Record<string, string>> = {
  '/api/job': '?jobId=secret-1',
  '/api/documents': '?jobId=secret-1&others=true',
  '/api/schedule': '?id=none',
}

async function until(isThere: () => Promise<boolean>): Promise<void> {
  while (!(await isThere()));
}

async function state(jobId: string): Promise<string> {
  return (JSON.parse(await get(`/api/job?jobId=${jobId}`)) as { state: string }).state
}

/** The bytes that the stream of changes sends while some work is done. */
async function streamed(work: () => Promise<void>, isEnough: (text: string) => boolean): Promise<string> {
  let seen = ''
  const request = httpGet(`${origin}/api/changes`, { headers: { cookie } })
  const enough = new Promise<void>((resolve, reject) => {
    request.on('error', (error) => (isEnough(seen) ? resolve() : reject(error)))
    request.on('response', (response) => {
      response.setEncoding('utf8')
      response.on('error', () => resolve())
      response.on('data', (part: string) => {
        const isReady = seen.includes('event: ready')
        seen += part
        if (!isReady && seen.includes('event: ready')) work().catch(reject)
        if (isEnough(seen)) resolve()
      })
    })
  })
  await enough
  request.destroy()
  return seen
}

describe('a secret', () => {
  it('is in no byte that the page sends, whatever happens to the job', async () => {
    const bytes: string[] = []
    const sweep = async (jobIds: readonly string[]): Promise<void> => {
      for (const { method, path } of routes) {
        if (method !== 'GET') continue
        bytes.push(await get(`${path}${asked[path] ?? ''}`))
      }
      for (const jobId of jobIds) {
        bytes.push(await get(`/api/job?jobId=${jobId}`))
        bytes.push(await get(`/api/documents?jobId=${jobId}&others=true`))
        const past = await get(`/api/history?jobId=${jobId}`)
        bytes.push(past, await get(`/api/attempts?jobId=${jobId}&step=pay`))
        for (const { moment } of (JSON.parse(past) as JobHistory).moments)
          bytes.push(await get(`/api/history/moment?jobId=${jobId}&moment=${moment ?? ''}`))
      }
    }
    const refused = { number: `${mark}-refused`, cvc: 271_828 }
    bytes.push(
      await streamed(
        async () => {
          await post('/api/actions/submit', { workflow: 'paying', input: { id: 'secret-1', card } })
          await post('/api/actions/submit', { workflow: 'paying', input: { id: 'secret-2', card: refused } })
        },
        (seen) => seen.includes('secret-2') && seen.includes('is refused'),
      ),
    )
    await until(async () => (await get('/api/inbox')).includes('"jobId":"secret-1"'))
    const mine = { id: 'mine', pk: 'secret-1', note: card.number, cvc: card.cvc }
    await store.client().database('stepward').container('state').items.create(mine)
    await sweep(['secret-1', 'secret-2'])
    const edit = { number: `${mark}-edited-refused`, note: `${mark}-note` }
    await until(async () => (await state('secret-2')) === 'Error')
    const resubmitted = await post('/api/actions/resubmit', {
      job: { jobId: 'secret-2' },
      step: 'pay',
      input: edit,
      why: 'another card',
    })
    expect(resubmitted.status, resubmitted.text).toBe(200)
    await until(async () => (await state('secret-2')) === 'Error')
    const answered = await post('/api/actions/answer', {
      job: { jobId: 'secret-1' },
      step: 'confirm',
      answer: { code: `${mark}-code` },
    })
    expect(answered.status, answered.text).toBe(200)
    await until(async () => (await state('secret-1')) === 'Error')
    await sweep(['secret-1', 'secret-2'])
    bytes.push((await post('/api/actions/cancel', { job: { jobId: 'secret-1' }, why: 'no' })).text)
    await until(async () => (await state('secret-1')) === 'Compensated')
    await sweep(['secret-1', 'secret-2'])
    bytes.push((await post('/api/actions/submit', { workflow: 'parsing', input: { card } })).text)
    bytes.push((await post('/api/actions/submit', { workflow: 'paying', input: { id: 3, card } })).text)
    bytes.push(
      (await post('/api/actions/submit', { workflow: 'paying', input: { id: 'x', card: card.number } })).text,
    )
    bytes.push(
      (await post('/api/actions/submit', { workflow: 'paying', input: { id: card.number, card } })).text,
    )
    bytes.push(await get(`/api/jobs?text=${encodeURIComponent(mark)}`))
    const all = bytes.join('\n')
    expect(all).toContain('•••• secret')
    expect(all).toContain('no address for •••• secret')
    expect(all.split('\n').filter((line) => line.includes(mark))).toEqual([])
    expect(all).not.toContain('271828')
    expect(all).not.toContain('payloadHash')
    expect(all).toContain('"source":"versions"')
    expect(all).toContain('{"id":"mine","document":null}')
  })

  it('is not in what an agent stores and logs about a failure, but programs read the value', async () => {
    const job = await host.client.submit(
      paying,
      { id: 'program', card: { number: `${mark}-refused`, cvc: 271_828 } },
      {},
    )
    await expect(job.result()).rejects.toThrow('•••• secret is refused')
    const { steps } = await job.view()
    const told = steps.map(({ input: _input, ...rest }) => rest)
    expect(JSON.stringify(told)).not.toContain(mark)
    expect(JSON.stringify(telemetry.events)).not.toContain(mark)
    const paid = await host.client.submit(paying, { id: 'paid', card }, {})
    await until(async () => (await paid.view()).steps[0]?.state === 'Processed')
    expect((await paid.view()).steps[0]?.output).toEqual({ token })
    expect((await paid.view({ hidesSecrets: true })).steps[0]?.output).toEqual({ token: '•••• secret' })
  })

  it('cannot be replaced by the text that stands for it', async () => {
    const shown = { id: 'copied', card: '•••• secret' }
    const { status, text: said } = await post('/api/actions/submit', { workflow: 'plain', input: shown })
    expect([status, said]).toEqual([
      400,
      expect.stringContaining('hidden from people: give the value itself'),
    ])
  })
})
