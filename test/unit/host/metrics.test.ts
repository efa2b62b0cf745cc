import { expect, it } from 'vitest'
import { Metrics } from '../../../src/host/metrics.js'

const figures = { residentBytes: 1, cpuSeconds: 2, uptimeSeconds: 3, isReady: true }
const on = (leaseToken: string) => ({ processorName: 'unit', instanceName: 'one', leaseToken })

it('the metrics count owned leases, and charges by operation', () => {
  const metrics = new Metrics()
  metrics.emit({ type: 'lease.acquired', takenFrom: null, ...on('0') })
  metrics.emit({ type: 'lease.acquired', takenFrom: null, ...on('1') })
  metrics.emit({ type: 'lease.released', reason: 'Shutdown', ...on('0') })
  metrics.emit({ type: 'store.charged', operation: 'lease.list', charge: 2.5 })
  metrics.emit({ type: 'store.charged', operation: 'lease.list', charge: 1 })
  expect(metrics.leasesOwned).toBe(1)
  const lines = metrics.text(figures).split('\n')
  expect(lines).toContain('stepward_leases_owned{processor="unit"} 1')
  expect(lines).toContain('stepward_request_charge_total{operation="lease.list"} 3.5')
  expect(lines).toContain('stepward_events_total{type="lease.acquired"} 2')
})

it('the metrics count charges by the role that caused them', () => {
  const metrics = new Metrics()
  const charged = { type: 'store.charged', operation: 'state.batch' } as const
  metrics.emit({ ...charged, charge: 2, user: 'scheduler' })
  metrics.emit({ ...charged, charge: 3, user: 'client' })
  metrics.emit({ ...charged, charge: 4, user: 'scheduler' })
  metrics.emit({ ...charged, charge: 1 })
  expect(metrics.charges.users).toEqual([
    { user: 'scheduler', requests: 2, charge: 6 },
    { user: 'client', requests: 1, charge: 3 },
    { user: 'others', requests: 1, charge: 1 },
  ])
  expect(metrics.text(figures)).toContain('stepward_user_request_charge_total{user="scheduler"} 6')
})

it('the metrics are in the text format of Prometheus: help and type for each series, escaped labels', () => {
  const metrics = new Metrics()
  metrics.emit({ type: 'store.charged', operation: 'a"b\\c\nd', charge: 1 })
  const text = metrics.text(figures)
  expect(text).toContain('{operation="a\\"b\\\\c\\nd"} 1')
  const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  for (const line of series) {
    expect(line).toMatch(/^[a-z_]+(\{[a-z]+="([^"\\\n]|\\.)*"\})? [\d.]+$/)
    const name = line.split(/[{ ]/)[0] ?? ''
    expect(text).toContain(`# HELP ${name} `)
    expect(text).toMatch(new RegExp(`^# TYPE ${name} (counter|gauge)$`, 'm'))
  }
})
