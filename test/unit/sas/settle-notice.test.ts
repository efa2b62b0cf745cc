import fc from 'fast-check'
import { expect, it } from 'vitest'
import { noticeOf } from '../../../src/sas/notices.js'
import { defaultNoticeRetry, settleNotice, type Delivery } from '../../../src/sas/settle-notice.js'
import { seededRandom } from '../../../src/platform/index.js'
import { aJob, submittedAtMs } from '../../support/a-job.js'

const notice = noticeOf(aJob({ replyTo: 'https://shop.example/' }), 'received', {
  seq: 1,
  now: submittedAtMs,
})
const failed: Delivery = { kind: 'failed', reason: 'busy' }

it('F-N3, F-N5, F-X9: whatever happens, a notice is due, sent or an operator’s, and only a sent one expires', () => {
  const deliveries = fc.constantFrom<Delivery[]>(
    failed,
    { kind: 'sent' },
    { kind: 'impossible', reason: 'x'.repeat(5_000) },
  )
  fc.assert(
    fc.property(fc.array(deliveries, { maxLength: 40 }), fc.integer(), (story, seed) => {
      let now = submittedAtMs
      let current = notice
      for (const delivery of story) {
        if (current.completeByMs === null) break
        now = Math.max(now, current.completeByMs)
        const at = { now, by: 'notifier-1', random: seededRandom(seed), retry: defaultNoticeRetry }
        current = settleNotice(current, delivery, at)
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
  for (let tries = 0; tries < defaultNoticeRetry.maxTries - 1; tries += 1) {
    const now = current.completeByMs ?? 0
    current = settleNotice(current, failed, { now, by: 'n', random: longest, retry: defaultNoticeRetry })
  }
  expect((current.completeByMs ?? 0) - submittedAtMs).toBeGreaterThan(2 * 3_600_000)
})
