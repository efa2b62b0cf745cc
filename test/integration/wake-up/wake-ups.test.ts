import { request } from 'node:http'
import { connect, defineAgent, defineWorkflow, startHost, type HostOptions } from 'stepward'
import { startEmulator } from 'stepward/emulator'
import { expect, it, onTestFinished } from 'vitest'
import { FeedHints } from '../../../src/change-feed-processor/internal.js'
import { systemClock } from '../../../src/platform/index.js'
import { JobEndings } from '../../../src/sas/internal.js'
import { silent } from '../../../src/telemetry/internal.js'
import { openWakeUpLink } from '../../../src/wake-up/index.js'
import { bodyOf, longestBody, paths, signatureHeader, signatureOf } from '../../../src/wake-up/message.js'
import { wakeAddressOf } from '../../../src/wake-up/wake-address.js'

const greeter = defineAgent('greeter', { greet: async (name: string) => `hello ${name}` })
const greeting = defineWorkflow<{ name: string }>('greeting', (job) => {
  const first = job.step('first', greeter.greet, job.input.name)
  job.step('second', greeter.greet, first.output)
})

/** With these polls, only hints can carry a job to its end within the time of a test. */
const timing = { pollInterval: '1h' } as const

async function anAccount() {
  const emulator = await startEmulator({ port: 0 })
  onTestFinished(() => emulator.close())
  return { endpoint: emulator.endpoint, key: emulator.key }
}

async function aHost(options: HostOptions) {
  const host = await startHost({ agents: [greeter], timing, telemetry: silent, ...options })
  onTestFinished(() => host.stop())
  return host
}

it('scheduler, agents and client in three places learn of each other’s writes without a poll', async () => {
  const account = await anAccount()
  await aHost({ ...account, roles: ['scheduler'] })
  await aHost({ ...account, roles: ['agents'] })
  const client = await connect(account)
  onTestFinished(() => client.close())
  for (const name of ['a', 'b', 'c']) {
    const job = await client.submit(greeting, { name }, { jobId: name })
    expect(await job.result()).toMatchObject({ second: `hello hello ${name}` })
  }
})

it('a client that closes right after its submission has woken the roles', async () => {
  const account = await anAccount()
  await aHost({ ...account, roles: ['scheduler'] })
  await aHost({ ...account, roles: ['agents'] })
  const client = await connect(account)
  await client.submit(greeting, { name: 'a' }, { jobId: 'a' })
  client.close()
  const reader = await connect(account)
  onTestFinished(() => reader.close())
  const job = await reader.get('a')
  expect(await job?.result()).toMatchObject({ second: 'hello hello a' })
})

it('a submission begins its job once schedulers and agents elsewhere say that they take work', async () => {
  const account = await anAccount()
  await aHost({ ...account, roles: ['scheduler'], instanceName: 'the-scheduler' })
  await aHost({ ...account, roles: ['agents'] })
  const begun: string[] = []
  const telemetry = {
    emit: (event: { readonly type: string; readonly jobId?: string }) => {
      if (event.type === 'step.dispatched') begun.push(event.jobId ?? '')
    },
  }
  const client = await connect({ ...account, telemetry })
  onTestFinished(() => client.close())
  let count = 0
  await expect
    .poll(async () => {
      count += 1
      const job = await client.submit(greeting, { name: 'a' }, { jobId: `job-${count}` })
      expect(await job.result()).toMatchObject({ second: 'hello hello a' })
      return begun.includes(job.jobId)
    })
    .toBe(true)
})

it('the operator’s command of a client wakes the scheduler in another process', async () => {
  const account = await anAccount()
  await aHost({ ...account, roles: ['scheduler', 'agents'] })
  const client = await connect(account)
  onTestFinished(() => client.close())
  const waiting = defineWorkflow('waiting', (job) => {
    job.waitFor('approval')
  })
  const job = await client.submit(waiting, {}, { jobId: 'w' })
  await client.raiseEvent(job.jobId, 'approval', {})
  expect(await job.result()).toBeDefined()
})

it('a port that is in use makes a host take hints from its own machine only, and says so', async () => {
  const account = await anAccount()
  const advice: string[] = []
  const telemetry = {
    emit: (event: { readonly type: string; readonly advice?: string }) => {
      if (event.type === 'host.advised') advice.push(event.advice ?? '')
    },
  }
  await aHost({ ...account, wakeAddress: account.endpoint, telemetry })
  expect(advice).toEqual([expect.stringContaining('hints of other machines cannot be taken')])
})

it.each(['10.0.0.4', 'ftp://10.0.0.4', 'http://10.0.0.4/path'])(
  'a host refuses the address %s',
  async (bad) => {
    await expect(
      startHost({ agents: [greeter], endpoint: 'http://localhost:1', wakeAddress: bad }),
    ).rejects.toThrow(/wakeAddress is .*; it must be an origin such as http:\/\/10\.0\.0\.4:8181, or none/)
  },
)

/** A door, and the hints that it has let in. */
async function aDoor() {
  const hints = new FeedHints()
  const letIn: (string | null)[] = []
  hints.part('agents').subscribe((range) => letIn.push(range))
  const endings = new JobEndings()
  const takenWork = () => ({ scheduler: 'one', agents: false })
  const link = await openWakeUpLink({
    hints,
    list: async () => ({ leases: [], storeTimeMs: null }),
    clock: systemClock,
    telemetry: silent,
    door: { place: { kind: 'loopback' }, endings, takenWork },
  })
  onTestFinished(() => link.close())
  const address = wakeAddressOf(link.wakeAddress ?? '')
  if (address === null) throw new Error('the door has no address')
  const post = (path: string, body: string, signature = signatureOf(path, body, address.key)) =>
    new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
      const headers = { [signatureHeader]: signature }
      const sent = request(`${address.origin}${path}`, { method: 'POST', headers }, (response) => {
        let text = ''
        response.on('data', (part: Buffer) => (text += part.toString()))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
      })
      sent.on('error', reject)
      sent.end(body)
    })
  return { letIn, post, endings }
}

const hint = (range: string) => bodyOf({ wake: { agents: [range] } }, Date.now())

it('a door lets in signed hints only', async () => {
  const { letIn, post } = await aDoor()
  expect(await post(paths.hints, hint('0'), 'forged')).toMatchObject({ status: 403 })
  expect(await post(paths.hints, '{}')).toMatchObject({ status: 403 })
  expect(await post('/other', hint('0'))).toMatchObject({ status: 404 })
  expect(await post(paths.hints, ' '.repeat(longestBody + 1))).toMatchObject({ status: 413 })
  expect(letIn).toEqual([])
  expect(await post(paths.hints, hint('1'))).toEqual({
    status: 200,
    body: '{"scheduler":"one","agents":false,"unread":{"agents":["1"]}}',
  })
  expect(letIn).toEqual(['1'])
})

it('a question is answered when an awaited job ends', async () => {
  const { post, endings } = await aDoor()
  const awaited = { session: 's', jobs: [['p', 'j']] }
  await post(paths.hints, bodyOf({ wake: {}, awaited }, Date.now()))
  const answer = post(paths.ended, bodyOf({ session: 's' }, Date.now()))
  const job = { pk: 'p', jobId: 'j' } as Parameters<JobEndings['tell']>[0]['job']
  endings.tell({ job: { ...job, jobId: 'another' }, steps: null })
  endings.tell({ job, steps: null })
  expect(await answer).toEqual({ status: 200, body: '{"ended":[["p","j"]]}' })
})
