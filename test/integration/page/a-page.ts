import { once } from 'node:events'
import { request, type IncomingHttpHeaders, type RequestOptions } from 'node:http'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { startHost, type Host } from '../../../src/host/index.js'
import type { FleetControl } from '../../../src/page/api/page-store.js'
import { servePage } from '../../../src/page/index.js'
import {
  condition,
  defineAgent,
  defineSchedule,
  defineWorkflow,
  type AgentContext,
  type AnswerLinkOptions,
  type Condition,
  type Reference,
} from '../../../src/sas/index.js'
import { isWorkflow } from '../../../src/sas/internal.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'

/** Text that becomes an element, and runs, if a page reads it as HTML. */
export const hostile = '<img src=x onerror="document.title=String(1)">\u202e'

/** Agents of the tests. */
export const bank = defineAgent('bank', {
  pay: ({ isRefused, amount }: { isRefused: boolean; amount: number }, context: AgentContext): unknown =>
    isRefused ? context.failPermanently(`the card is refused ${hostile}`) : { paid: amount },
  refund: () => ({ refunded: true }),
  crash: (): null => {
    throw new Error(`the line is down ${hostile}`)
  },
  follow: (_input: object, context: AgentContext): object =>
    context.round < 2 ? { state: 'open' } : context.failPermanently('lost'),
  wait: async (_input: object, { progress, signal }: AgentContext): Promise<null> => {
    await progress({ done: 2, of: 5, note: `letters ${hostile}` })
    await once(signal, 'abort')
    return null
  },
})

export interface Buying {
  readonly jobId: string
  readonly isRefused: boolean
  readonly amount: number
}

export const buying = defineWorkflow<Buying>(
  'buying',
  (job) => {
    const { input } = job
    const check = job.step('check', bank.pay, { isRefused: false, amount: 1 })
    const pay = job.step(
      'pay',
      bank.pay,
      { isRefused: input.isRefused, amount: input.amount },
      { after: [check] },
    )
    job.waitFor('delivery', { after: [pay], completeWithin: '1d' })
  },
  { jobId: ({ jobId }) => jobId },
)

/** Its limits, its agent and its jobs are known only from the module of the page. */
const packing = defineWorkflow('packing', (job) => {
  const limits = [
    { key: 'packers', atOnce: 2 },
    { key: 'desk', atOnce: 1, perPartition: true },
  ]
  job.step('pack', defineAgent('packer', { pack: () => null }).pack, {}, { undo: 'none', limits })
})

/** Follows something in rounds until it is lost, goes on without it, and then works until the host stops. */
export const following = defineWorkflow('following', (job) => {
  const until = (output: Reference<object>): Condition => condition.equal(output, { state: 'closed' })
  const followed = job.repeat(
    'follow',
    bank.follow,
    {},
    { until, atMost: 9, undo: 'none', onExhausted: 'continue' },
  )
  job.step('wait', bank.wait, {}, { when: condition.failed(followed), completeWithin: '1h', undo: 'none' })
})

/** Asks a person. The title comes from the input of the job. */
const claiming = defineWorkflow<{ readonly title: string }>('claiming', (job) => {
  job.ask('review', {
    title: job.input.title,
    assignees: ['ada', `bob ${hostile}`],
    completeWithin: '3d',
    form: {
      type: 'object',
      properties: {
        approved: { type: 'boolean', title: 'Pay the claim' },
        amount: { type: 'number', minimum: 0, maximum: 500, description: 'In euros' },
        reason: { enum: ['damage', 'loss', 3] },
        remark: { type: 'string' },
        items: { type: 'array', items: { type: 'string' } },
      },
      required: ['approved', 'amount'],
      additionalProperties: false,
    },
  })
})

/** Asks a person, reminds them soon, and then asks once more. */
export const reminding = defineWorkflow('reminding', (job) => {
  const first = job.ask('confirm', { title: 'Is it true?', remindAfter: '1s', completeWithin: '1d' })
  job.ask('later', { title: 'And now?', after: [first], completeWithin: '1d' })
})

/** Submits a job that asks a question, and waits until the question is open. */
export async function putQuestion(
  { host, get }: APage,
  jobId: string,
  title = 'Pay this claim?',
): Promise<void> {
  await host.client.submit(claiming, { title }, { jobId })
  const isOpen = async (): Promise<boolean> =>
    (await get('/api/inbox?limit=500')).text.includes(JSON.stringify(jobId))
  while (!(await isOpen()));
}

/** A schedule whose ticks do not come during a test, with jobs that wait. */
const counting = defineSchedule('counting', {
  cron: '30 2 29 2 *',
  timeZone: 'Europe/Berlin',
  workflow: defineWorkflow('count-stock', (job) => {
    job.waitFor('data', { completeWithin: '1d' })
  }),
})

/** The addresses of all views, with the names of their pictures. `order-0` and `claim-0` are jobs of the tests. */
export const shownViews = [
  ['/', 'now'],
  ['/inbox', 'inbox'],
  ['/jobs', 'jobs'],
  ['/job?jobId=order-0', 'job'],
  ['/job?jobId=claim-0', 'job-question'],
  ['/schedules', 'schedules'],
  ['/schedules?schedule=counting', 'schedule'],
  ['/limits', 'limits'],
  ['/pauses', 'pauses'],
  ['/fleet', 'fleet'],
  ['/leases', 'leases'],
  ['/cost', 'cost'],
  ['/tail', 'tail'],
  ['/operations', 'operations'],
  ['/audit', 'audit'],
] as const

/** Begins an action on several jobs, so that there are an operation and a decision, and pauses an agent. */
export async function actOnMany({ host, post }: APage): Promise<void> {
  await host.client.pause({ agent: `printer ${hostile}` }, `no paper ${hostile}`, { by: 'ann' })
  const jobs = [{ jobId: 'order-5' }, { jobId: `none ${hostile}` }]
  await post('/api/actions/cancel', { jobs, why: `withdrawn ${hostile}` })
}

/** An answer of the page's server. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Sends a request with exactly these headers, which `fetch` does not permit. */
export function ask(address: string, options: RequestOptions = {}, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(address), { agent: false, ...options }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      })
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** A store with a host, and a page that shows it. */
export interface APage {
  readonly host: Host
  readonly telemetry: TelemetryRecorder
  readonly origin: string
  /** The address that signs in the next browser. */
  readonly address: () => string
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answer>
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answer>
  readonly cookie: string
  readonly store: ReturnType<typeof createInProcessCosmos>
  close(): Promise<void>
}

export async function aPage(links?: AnswerLinkOptions, fleet?: FleetControl): Promise<APage> {
  const store = createInProcessCosmos()
  const telemetry = new TelemetryRecorder()
  const host = await startHost({ embedded: store, agents: [bank], schedules: [counting], telemetry })
  await host.client.limits.set('bank', { atOnce: 3, perSecond: 20 }, { by: 'ann', why: `slow ${hostile}` })
  let address = ''
  const page = await servePage({
    settings: { embedded: store, provision: false },
    port: 0,
    by: 'ada',
    links,
    ...(fleet === undefined ? {} : { fleet }),
    workflows: [buying as unknown, packing].filter(isWorkflow),
    onOpened: (next) => {
      address = next
    },
  })
  address = page.address
  const { origin } = new URL(address)
  const { headers } = await ask(address)
  const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  return {
    host,
    telemetry,
    origin,
    store,
    cookie,
    address: () => address,
    get: (path, more = {}) => ask(`${origin}${path}`, { headers: { cookie, ...more } }),
    post: (path, body, more = {}) => {
      const sent = { cookie, origin, 'content-type': 'application/json', ...more }
      return ask(`${origin}${path}`, { method: 'POST', headers: sent }, JSON.stringify(body))
    },
    close: async () => {
      await page.close()
      await host.stop()
      await store.close()
    },
  }
}
