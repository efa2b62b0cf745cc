import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  consoleLogger,
  type ConsoleLoggerOptions,
  type TelemetryEvent,
} from '../../../src/telemetry/index.js'

afterEach(() => {
  vi.restoreAllMocks()
})

function linesFor(
  events: readonly TelemetryEvent[],
  options: ConsoleLoggerOptions = {},
): Record<string, unknown>[] {
  const lines: string[] = []
  const logger = consoleLogger({ ...options, write: (line) => lines.push(line) })
  for (const event of events) logger.emit(event)
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

const lease = { processorName: 'orders', instanceName: 'one', leaseToken: '0' }
const failed = (error: unknown): TelemetryEvent => ({ type: 'loop.failed', loop: 'balancer', error })

describe('a log line', () => {
  it('is one JSON object with the event’s name, its fields, the time and a message', () => {
    const [line, ...others] = linesFor([{ type: 'lease.acquired', takenFrom: null, ...lease }])
    expect(others).toEqual([])
    expect(line).toEqual({
      level: 30,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      type: 'lease.acquired',
      takenFrom: null,
      ...lease,
      msg: 'Instance one acquired lease 0 of orders',
    })
  })

  it.each([
    ['exit code 0', null, 30],
    ['exit code 0', 500, 40],
    ['exit code 1', null, 40],
    ['killed by SIGKILL', 500, 40],
  ])('of a process that ended (%s, restart in %s) has level %i', (exit, restartInMs, level) => {
    const ended = { type: 'instance.ended', role: 'agents', instanceName: 'one', processId: 12 } as const
    expect(linesFor([{ ...ended, exit, restartInMs }])).toMatchObject([{ level }])
  })

  it('goes to standard error by default, so that standard output stays free', () => {
    const error = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const output = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    consoleLogger().emit({ type: 'lease.released', reason: 'Shutdown', ...lease })
    expect(error.mock.calls.map(([line]) => String(line))).toEqual([
      expect.stringMatching(/^\{.*"type":"lease\.released".*\}\n$/),
    ])
    expect(output).not.toHaveBeenCalled()
  })
})

describe('the lowest level', () => {
  const events: TelemetryEvent[] = [
    { type: 'lease.renewed', ...lease },
    { type: 'lease.released', reason: 'Split', ...lease },
    { type: 'document.refused', id: 'a', reason: 'newer schema' },
    failed('away'),
  ]

  it.each([
    [undefined, ['lease.released', 'document.refused', 'loop.failed']],
    ['debug', ['lease.renewed', 'lease.released', 'document.refused', 'loop.failed']],
    ['warn', ['document.refused', 'loop.failed']],
    ['error', ['loop.failed']],
  ] as const)('%s writes %j', (level, expected) => {
    const lines = linesFor(events, level === undefined ? {} : { level })
    expect(lines.map(({ type }) => type)).toEqual(expected)
  })
})

describe('a log message of a handler', () => {
  const said = {
    type: 'agent.logged',
    jobId: 'job-1',
    orderId: 'order-1',
    workflow: 'shopping',
    stepId: 'pay',
    attempt: 2,
    instanceName: 'agents-1',
  } as const

  it('becomes a line with its text, its level and the fields of the event', () => {
    const fields = { level: 'mine', jobId: 'another', reason: new Error('no card') }
    const [line] = linesFor([{ ...said, level: 'warn', message: 'held', fields }])
    expect(line).toMatchObject({
      ...said,
      level: 40,
      msg: 'held',
      fields: { level: 'mine', jobId: 'another', reason: { message: 'no card' } },
    })
  })

  it.each(['debug', 'info', 'warn', 'error'] as const)(
    'at level %s is left out only below the lowest level',
    (level) => {
      const lines = linesFor([{ ...said, level, message: 'held', fields: {} }], { level: 'warn' })
      expect(lines).toHaveLength(level === 'warn' || level === 'error' ? 1 : 0)
    },
  )
})

describe('an error in an event', () => {
  it('is written with its message, stack and cause', () => {
    const error = new Error('page not delivered', { cause: new Error('socket closed') })
    const [line] = linesFor([failed(error)])
    expect(line?.['error']).toEqual({
      message: 'page not delivered',
      stack: error.stack,
      cause: 'socket closed',
    })
  })

  it.each([new Error('alone'), new Error('with a cause of another kind', { cause: 412 })])(
    'is written without a cause when its cause is not an Error: %s',
    (error) => {
      const [line] = linesFor([failed(error)])
      expect(line?.['error']).toEqual({ message: error.message, stack: error.stack })
    },
  )

  it('is written as it is when it is not an Error', () => {
    const [line] = linesFor([failed({ code: 429 })])
    expect(line?.['error']).toEqual({ code: 429 })
  })
})
