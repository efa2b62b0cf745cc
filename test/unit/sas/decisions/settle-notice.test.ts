import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { noticeOf } from '../../../../src/sas/decisions/notices.js'
import { settleNotice, type SendResult } from '../../../../src/sas/decisions/settle-notice.js'
import { notifierShape, settingsOf } from '../../../../src/sas/unit-settings.js'
import { seededRandom } from '../../../../src/platform/index.js'
import { aJob, submittedAtMs } from '../../../support/a-job.js'

const defaultNoticeRetry = settingsOf(notifierShape, {}).noticeRetry

const notice = noticeOf(aJob({ replyTo: 'https://shop.example/' }), 'received', {
  seq: 1,
  now: submittedAtMs,
})
const failed: SendResult = { kind: 'failed', reason: 'busy' }

it('a notice is always due, sent or flagged, and only a sent one expires (F-N3, F-N5, F-X9)', () => {
  const results = fc.constantFrom<SendResult[]>(
    failed,
    { kind: 'sent' },
    { kind: 'impossible', reason: 'x'.repeat(5_000) },
  )
  fc.assert(
    fc.property(fc.array(results, { maxLength: 40 }), fc.integer(), (story, seed) => {
      let now = submittedAtMs
      let current = notice
      for (const result of story) {
        if (current.completeByMs === null) break
        now = Math.max(now, current.completeByMs)
        const at = { now, by: 'notifier-1', random: seededRandom(seed), retry: defaultNoticeRetry }
        current = settleNotice(current, result, at)
        const ends = [
          current.completeByMs !== null,
          current.sentAt !== null,
          current.attention !== null,
        ].filter(Boolean)
        expect(ends).toHaveLength(1)
        expect(current.ttl > 0).toBe(current.sentAt !== null)
        if (current.completeByMs !== null) expect(current.completeByMs).toBeGreaterThan(now)
        expect(current.attention?.message.length ?? 0).toBeLessThanOrEqual(2_000)
      }
    }),
  )
})

it('a receiver that is away for two hours misses nothing', () => {
  let current = notice
  const longest = { next: () => 0.999, id: () => '0' }
  for (let tries = 0; tries < defaultNoticeRetry.tries - 1; tries += 1) {
    const now = current.completeByMs ?? 0
    current = settleNotice(current, failed, { now, by: 'n', random: longest, retry: defaultNoticeRetry })
  }
  expect((current.completeByMs ?? 0) - submittedAtMs).toBeGreaterThan(2 * 3_600_000)
})

describe('a notice', () => {
  const first = { next: () => 0, id: () => '0' }
  const retry = { backoff: { minMs: 1_000, maxMs: 900_000 }, tries: 3 }
  const at = { now: submittedAtMs + 5_000, by: 'notifier-1', random: first, retry }
  const since = '2026-01-01T00:00:05.000Z'

  it('records when it was sent and expires after a day', () => {
    const flagged = {
      ...notice,
      attention: settleNotice(notice, { kind: 'impossible', reason: 'x' }, at).attention,
    }
    expect(settleNotice(flagged, { kind: 'sent' }, at)).toStrictEqual({
      ...notice,
      sentAt: since,
      completeByMs: null,
      attention: null,
      ttl: 86_400,
    })
  })

  it('is sent again after a failure, each time after a longer pause', () => {
    const once = settleNotice(notice, failed, at)
    expect(once).toStrictEqual({ ...notice, failureCount: 1, completeByMs: at.now + 1_000 })
    const twice = settleNotice(once, failed, at)
    expect(twice).toStrictEqual({ ...notice, failureCount: 2, completeByMs: at.now + 2_000 })
  })

  it('is flagged after its last failure, and at once when it can never be sent', () => {
    const attention = { kind: 'notify', since, by: 'notifier-1', message: 'busy' }
    const last = settleNotice({ ...notice, failureCount: 2 }, failed, at)
    expect(last).toStrictEqual({ ...notice, failureCount: 3, completeByMs: null, attention })
    const never = settleNotice(notice, { kind: 'impossible', reason: 'busy' }, at)
    expect(never).toStrictEqual({ ...notice, failureCount: 1, completeByMs: null, attention })
  })
})
