import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { answerLink } from '../../../src/cli/commands/jobs/answer-link.js'
import { answer, type AnswerCommandOptions } from '../../../src/cli/commands/jobs/answer.js'
import { inbox, type InboxOptions } from '../../../src/cli/commands/jobs/inbox.js'
import { status } from '../../../src/cli/commands/jobs/status.js'
import { exitCodeOf } from '../../../src/cli/output/cli-error.js'
import { startEmulator, type Emulator } from '../../../src/emulator/index.js'
import { startHost, type Host } from '../../../src/host/index.js'
import { defineWorkflow, type OpenQuestion } from '../../../src/sas/index.js'
import { recordedTerminal } from '../../support/recorded-terminal.js'

const form = z.object({ approved: z.boolean(), limit: z.number().optional() })
const approving = defineWorkflow('approving', (job) => {
  job.ask('approve', { title: 'Pay the claim?', form, assignees: ['ann'], completeWithin: '3d' })
})
const asking = defineWorkflow('asking', (job) => void job.ask('sure', { title: 'Sure?' }))

let emulator: Emulator
let host: Host
let store: { readonly endpoint: string; readonly key: string }
const { terminal, said, forget } = recordedTerminal()

beforeAll(async () => {
  emulator = await startEmulator({ port: 0 })
  store = { endpoint: emulator.endpoint, key: emulator.key }
  host = await startHost({ ...store, roles: ['scheduler', 'supervisor'] })
  await host.client.submit(asking, {}, { jobId: 'C-1' })
  await untilAsked('C-1')
  await host.client.submit(approving, {}, { jobId: 'C-2' })
  await untilAsked('C-2')
})
afterAll(async () => {
  await host.stop()
  await emulator.close()
})
beforeEach(forget)

async function untilAsked(jobId: string): Promise<void> {
  const job = await host.client.get(jobId)
  if (job === null) throw new Error(`there is no job ${jobId}`)
  for await (const { why } of job.updates()) if (why.includes('waits for an answer')) return
}

async function listed(options: Partial<InboxOptions>): Promise<readonly OpenQuestion[]> {
  forget()
  expect(await inbox({ limit: '100', ...store, json: true, ...options }, terminal)).toBe(0)
  return JSON.parse(said()) as OpenQuestion[]
}

const ids = (questions: readonly OpenQuestion[]): string[] => questions.map(({ jobId }) => jobId)

const codeOf = (jobId: string, step: string, options: AnswerCommandOptions): Promise<number> =>
  answer(jobId, step, { ...store, by: 'ann', ...options }, terminal).catch(exitCodeOf)

describe('`inbox`', () => {
  it('lists the open questions, the oldest first, with who is asked and until when', async () => {
    expect(await inbox({ limit: '100', ...store }, terminal)).toBe(0)
    const [head, sure, approve] = said().split('\n')
    expect(head).toMatch(/^JOB +STEP +QUESTION +FOR +WAITS +UNTIL$/u)
    expect(sure).toMatch(/^C-1 +sure +Sure\? +anyone +\d+ s +\d{4}-\d\d-\d\dT[\d:]{8}$/u)
    expect(approve).toMatch(/^C-2 +approve +Pay the claim\? +ann /u)
  })

  it('prints the form of each question as JSON, filtered and limited', async () => {
    const all = await listed({})
    expect(ids(all)).toEqual(['C-1', 'C-2'])
    expect(all[0]).toMatchObject({ stepId: 'sure', workflow: 'asking', form: { type: 'boolean' } })
    expect(ids(await listed({ newest: true }))).toEqual(['C-2', 'C-1'])
    expect(ids(await listed({ assignee: 'bob' }))).toEqual(['C-1'])
    expect(ids(await listed({ workflow: 'approving' }))).toEqual(['C-2'])
    forget()
    expect(await inbox({ ...store, limit: '1' }, terminal)).toBe(0)
    expect(said()).toContain('there are more questions')
    expect(await inbox({ ...store, limit: '0' }, terminal).catch(exitCodeOf)).toBe(2)
  })
})

it('`status` names the people whose answer the job waits for', async () => {
  expect(await status('C-2', store, terminal)).toBe(0)
  expect(said()).toContain('Step approve waits for an answer from ann since ')
  expect(said().replaceAll(/\s+/gu, ' ')).toContain('; "stepward answer" answers it.')
})

describe('`answer-link`', () => {
  const linked = (jobId: string, step: string, assignee: string): Promise<number> =>
    answerLink(jobId, step, { ...store, assignee, expiresIn: '1d' }, terminal)

  beforeEach(() => {
    vi.stubEnv('STEPWARD_PUBLIC_URL', 'https://ops.example')
    vi.stubEnv('STEPWARD_LINK_KEY', 'k'.repeat(64))
    return () => vi.unstubAllEnvs()
  })

  it('says if the person is not asked', async () => {
    expect(await linked('C-2', 'approve', 'ann')).toBe(0)
    expect(said()).toMatch(/^https:\/\/ops\.example\/\S+$/u)
    forget()
    expect(await linked('C-2', 'approve', 'eve')).toBe(0)
    expect(said()).toContain('eve is not asked; the question is for ann')
    forget()
    expect(await linked('C-1', 'sure', 'eve'), 'anyone is asked').toBe(0)
    expect(said()).not.toContain('is not asked')
  })

  it('is refused for a question that was answered', async () => {
    await host.client.submit(asking, {}, { jobId: 'C-9' })
    await untilAsked('C-9')
    await host.client.answer('C-9', 'sure', true, { by: 'bob' })
    await expect(linked('C-9', 'sure', 'ann')).rejects.toThrow(/step sure was already answered by bob at 20/u)
    await (await host.client.get('C-9'))?.result()
  })
})

describe('`answer`', () => {
  it('refuses a missing answer, two answers, text that is not JSON, and data that does not fit the form', async () => {
    expect(await codeOf('C-2', 'approve', {})).toBe(2)
    expect(await codeOf('C-2', 'approve', { yes: true, no: true })).toBe(2)
    expect(await codeOf('C-2', 'approve', { answer: '{' })).toBe(2)
    expect(await codeOf('C-2', 'approve', { answer: '{"approved":"yes"}' })).toBe(2)
    expect(await codeOf('C-2', 'none', { yes: true })).toBe(3)
    expect(await codeOf('C-3', 'approve', { yes: true })).toBe(3)
  })

  it('ends the step with the answer, once', async () => {
    const given = { answer: '{"approved":true,"limit":7}', note: 'by phone' }
    expect(await codeOf('C-2', 'approve', given)).toBe(0)
    expect(said()).toBe('ann answered the question of step approve of job C-2')
    const job = await host.client.get('C-2')
    expect(await job?.result()).toEqual({ approve: { approved: true, limit: 7 } })
    forget()
    expect(await status('C-2', store, terminal)).toBe(0)
    expect(said().replaceAll(/\s+/gu, ' ')).toMatch(
      /answer approve \{"approved":true,"limit":7\} by ann at \S+: by phone/u,
    )
    expect(await codeOf('C-2', 'approve', given)).toBe(0)
    expect(await codeOf('C-2', 'approve', { no: true })).toBe(4)
    expect(await codeOf('C-2', 'approve', { ...given, by: 'bob' })).toBe(4)
    expect(ids(await listed({}))).toEqual(['C-1'])
  })

  it('answers no, and an empty inbox says so', async () => {
    expect(await codeOf('C-1', 'sure', { no: true, json: true })).toBe(0)
    expect(said()).toBe('{"command":"answer","jobId":"C-1","step":"sure","by":"ann"}')
    const job = await host.client.get('C-1')
    expect(await job?.result()).toEqual({ sure: false })
    forget()
    expect(await inbox({ limit: '100', ...store }, terminal)).toBe(0)
    expect(said()).toBe('no question waits')
  })
})
