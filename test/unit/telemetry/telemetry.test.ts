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
  it('emits an event to every sink, in order', () => {
    const heard: string[] = []
    fanOut(
      { emit: ({ type }) => heard.push(`first ${type}`) },
      { emit: ({ type }) => heard.push(`second ${type}`) },
    ).emit(event)
    expect(heard).toEqual(['first document.refused', 'second document.refused'])
  })

  it('emits to the other sinks when one throws, and does not throw itself (F-X23)', () => {
    const recorder = new TelemetryRecorder()
    const broken = {
      emit: () => {
        throw new Error('disk full')
      },
    }
    fanOut(broken, recorder).emit(event)
    expect(recorder.events).toEqual([event])
  })

  it('surrounds deliveries only when one of its sinks does', () => {
    const tracing: Telemetry = { ...silent, during: (_delivery, run) => run() }
    expect(fanOut(new TelemetryRecorder(), silent)).not.toHaveProperty('during')
    expect(fanOut(new TelemetryRecorder(), tracing)).toHaveProperty('during')
  })
})

describe('silent', () => {
  it('accepts any event', () => {
    expect(() => {
      silent.emit(event)
    }).not.toThrow()
  })
})
