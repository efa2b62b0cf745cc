import { describe, expect, it } from 'vitest'
import {
  fanOut,
  TelemetryRecorder,
  type Telemetry,
  type TelemetryEvent,
} from '../../../src/telemetry/index.js'
import { silent } from '../../../src/telemetry/internal.js'

const event: TelemetryEvent = { type: 'document.refused', id: 'a', reason: 'no type' }

describe('fanOut', () => {
  it('tells every sink, in order', () => {
    const heard: string[] = []
    fanOut(
      { emit: ({ type }) => heard.push(`first ${type}`) },
      { emit: ({ type }) => heard.push(`second ${type}`) },
    ).emit(event)
    expect(heard).toEqual(['first document.refused', 'second document.refused'])
  })

  it('F-X23: tells the others when one throws, and does not throw itself', () => {
    const recorder = new TelemetryRecorder()
    const broken = {
      emit: () => {
        throw new Error('disk full')
      },
    }
    fanOut(broken, recorder).emit(event)
    expect(recorder.events).toEqual([event])
  })

  it('surrounds deliveries only where one of them does', () => {
    const tracing: Telemetry = { ...silent, during: (_delivery, run) => run() }
    expect(fanOut(new TelemetryRecorder(), silent)).not.toHaveProperty('during')
    expect(fanOut(new TelemetryRecorder(), tracing)).toHaveProperty('during')
  })
})

describe('silent', () => {
  it('takes any event without complaint', () => {
    expect(() => {
      silent.emit(event)
    }).not.toThrow()
  })
})
