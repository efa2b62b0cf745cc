import { describe, expect, it } from 'vitest'
import { DelegateError, FeedError } from '../../../../src/change-feed-processor/index.js'
import { Notifications } from '../../../../src/change-feed-processor/runtime/notifications.js'
import { TelemetryRecorder } from '../../../../src/telemetry/index.js'
import { aLease } from '../../../support/a-lease.js'
import type { LifecycleNotifications } from '../../../../src/change-feed-processor/feed/delegate.js'

const lease = aLease({ leaseToken: '0' })

function notifying(callbacks: LifecycleNotifications): {
  notifications: Notifications
  telemetry: TelemetryRecorder
} {
  const telemetry = new TelemetryRecorder()
  const unit = { processorName: 'unit', instanceName: 'one' }
  return { notifications: new Notifications({ callbacks, telemetry, ...unit }), telemetry }
}

describe('notifications', () => {
  it('reach the user and telemetry (B211, B212, B227, B228, B272, B274, B276)', async () => {
    const told: unknown[] = []
    const { notifications, telemetry } = notifying({
      onLeaseAcquired: (...details) => void told.push(details),
      onLeaseReleased: (...details) => void told.push(details),
      onError: (...details) => void told.push(details),
    })
    const errors = [new DelegateError('0', new Error('yours')), new FeedError('reading', new Error('store'))]
    notifications.acquired(lease, 'other')
    for (const error of errors) notifications.failed('0', error)
    notifications.released('0', 'Split')
    await new Promise(setImmediate)
    expect(told).toEqual([
      ['0', lease.feedRange],
      ['0', errors[0]],
      ['0', errors[1]],
      ['0', 'Split'],
    ])
    expect(telemetry.events.map((event) => event.type)).toEqual([
      'lease.acquired',
      'delegate.failed',
      'feed.failed',
      'lease.released',
    ])
  })

  it('do no harm when they fail, and telemetry reports the failure (B273, B275, B277)', async () => {
    const { notifications, telemetry } = notifying({
      onLeaseAcquired: () => {
        throw new Error('thrown')
      },
      onLeaseReleased: () => Promise.reject(new Error('rejected')),
      onError: () => {
        throw new Error('thrown')
      },
    })
    notifications.acquired(lease, null)
    notifications.released('0', 'Shutdown')
    notifications.failed('0', new FeedError('reading', new Error('store')))
    await telemetry.waitFor('notification.failed', () => true, 3)
    const failed = telemetry.of('notification.failed').map((event) => event.notification)
    expect(failed.sort()).toEqual(['onError', 'onLeaseAcquired', 'onLeaseReleased'])
  })
})
