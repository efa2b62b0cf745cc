import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { alertWebhook } from '../../../../src/sas/notifier/alert-sink.js'
import { alertOf } from '../../../../src/sas/notifier/alert.js'
import { noticeOf } from '../../../../src/sas/decisions/notices.js'
import { replyChannel, type ReplyContainers } from '../../../../src/sas/notifier/reply.js'
import { aJob, submittedAtMs } from '../../../support/a-job.js'

const going = new AbortController().signal

interface Posted {
  readonly key: string | undefined
  readonly body: unknown
}

/** Starts a receiver on the loopback address that answers with this status. */
async function receiver(status: number, headers: Readonly<Record<string, string>> = {}) {
  const posted: Posted[] = []
  const note = async (request: IncomingMessage): Promise<void> => {
    const key = request.headers['idempotency-key']
    posted.push({ key: String(key), body: JSON.parse(await text(request)) })
  }
  const server = createServer((request, response) => {
    note(request).then(
      () => response.writeHead(status, headers).end('secret details'),
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { posted, url: `http://127.0.0.1:${port}/replies?token=hidden` }
}

function aNotice(replyTo: string) {
  const job = aJob({ replyTo, jobId: 'bestellung/ü', orderId: 'o', pk: 'p' })
  return noticeOf(job, 'received', { seq: 1, now: submittedAtMs })
}

describe('a reply', () => {
  it('is posted to the URL of the submission, with a key that never changes (R119, R122)', async () => {
    const { posted, url } = await receiver(204)
    expect(await replyChannel(null).send(aNotice(url), going)).toEqual({ kind: 'sent' })
    expect(await replyChannel(null).send(aNotice(url), going)).toEqual({ kind: 'sent' })
    const key = encodeURIComponent('bestellung/ü/notify/1')
    expect(posted.map((message) => message.key)).toEqual([key, key])
    expect(posted[0]?.body).toEqual({
      replyId: 'bestellung/ü/notify/1',
      jobId: 'bestellung/ü',
      orderId: 'o',
      workflow: 'shopping',
      seq: 1,
      kind: 'received',
      state: 'Pending',
      reason: null,
      stepId: null,
      at: '2026-01-01T00:00:00.000Z',
    })
  })

  it.each([
    [503, {}, /^http:\/\/127\.0\.0\.1:\d+ answered 503$/],
    [404, {}, /answered 404/],
    [302, { location: 'http://127.0.0.1:1/' }, /did not answer: unexpected redirect/],
  ])(
    'fails when the receiver answers %i, and its error contains no secret',
    async (status, headers, message) => {
      const { url } = await receiver(status, headers)
      const sending = replyChannel(null).send(aNotice(url), going)
      await expect(sending).rejects.toThrow(message)
      await expect(sending).rejects.not.toThrow(/hidden|secret/)
    },
  )

  it('is written into a container that the submission names, under its own id', async () => {
    const put: Parameters<ReplyContainers['put']>[] = []
    const containers = { put: (...call: (typeof put)[number]) => Promise.resolve(void put.push(call)) }
    expect(await replyChannel(containers).send(aNotice('container:replies'), going)).toEqual({ kind: 'sent' })
    expect(put).toMatchObject([
      ['replies', { id: `reply:sas.notify:bestellung~2fü:${submittedAtMs}:1`, pk: 'p', seq: 1 }],
    ])
  })

  it.each(['queue:replies', 'ftp://x/', '', 'container:', '/replies'])(
    'cannot be sent to %j, and the reason names the possible addresses',
    async (replyTo) => {
      const containers = { put: () => Promise.reject(new Error('not to be asked')) }
      expect(await replyChannel(containers).send(aNotice(replyTo), going)).toEqual({
        kind: 'impossible',
        reason: `replyTo ${JSON.stringify(replyTo)} must be an http(s) URL or "container:NAME"`,
      })
    },
  )
})

it('an alert is posted with its id as the key (R114)', async () => {
  const { posted, url } = await receiver(200)
  const attention = { kind: 'parked' as const, since: 'then', by: 'x', message: 'waits', stepId: 'pay' }
  const alert = alertOf(aJob({ attention }), [])
  if (alert === null) throw new Error('a flagged job has an alert')
  await alertWebhook(url)([alert], going)
  expect(posted).toMatchObject([
    {
      key: encodeURIComponent('job-1|parked|pay|then'),
      body: { jobId: 'job-1', kind: 'parked', message: 'waits' },
    },
  ])
})

it('several alerts are posted as one message, with a key for exactly these alerts (F-V18)', async () => {
  const { posted, url } = await receiver(200)
  const alerts = ['a', 'b', 'c'].map((jobId) => {
    const stepId = jobId === 'c' ? null : 'pay'
    const attention = { kind: 'error' as const, since: 'then', by: 'x', message: 'down', stepId }
    const alert = alertOf(aJob({ jobId, attention }), [])
    if (alert === null) throw new Error('a flagged job has an alert')
    return alert
  })
  await alertWebhook(url)(alerts, going)
  await alertWebhook(url)(alerts.slice(1), going)
  const [all, some] = posted
  expect(all?.body).toEqual({
    count: 3,
    message: '3 jobs need attention: 2 × error at step pay of shopping; 1 × error of shopping',
    alerts,
  })
  expect(some?.body).toMatchObject({ count: 2 })
  expect(some?.key).not.toBe(all?.key)
})
