import { describe, expect, it } from 'vitest'
import { TelemetryRecorder, type TelemetryEvent } from '../../../src/telemetry/index.js'

const refused = (id: string): TelemetryEvent => ({ type: 'document.refused', id, reason: 'no type' })
const charged = (charge: number): TelemetryEvent => ({ type: 'store.charged', operation: 'read', charge })

/** Returns whether a promise has resolved already. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending
}

describe('a recorder of events', () => {
  it('keeps events in order, and finds them by type', () => {
    const recorder = new TelemetryRecorder()
    const all = [refused('a'), charged(1), refused('b')]
    for (const event of all) recorder.emit(event)
    expect(recorder.events).toEqual(all)
    expect(recorder.of('document.refused').map(({ id }) => id)).toEqual(['a', 'b'])
    expect(recorder.of('job.finished')).toEqual([])
  })
})

describe('waitFor', () => {
  it('resolves with an event that has happened already', async () => {
    const recorder = new TelemetryRecorder()
    recorder.emit(refused('a'))
    expect(await recorder.waitFor('document.refused')).toEqual(refused('a'))
  })

  it('resolves with the next event of its type', async () => {
    const recorder = new TelemetryRecorder()
    const waiting = recorder.waitFor('document.refused')
    recorder.emit(charged(1))
    expect(await isSettled(waiting)).toBe(false)
    recorder.emit(refused('a'))
    recorder.emit(refused('b'))
    expect(await waiting).toEqual(refused('a'))
  })

  it('ignores events that do not match, before and after the call', async () => {
    const recorder = new TelemetryRecorder()
    recorder.emit(charged(1))
    const waiting = recorder.waitFor('store.charged', ({ charge }) => charge > 5)
    recorder.emit(charged(2))
    expect(await isSettled(waiting)).toBe(false)
    recorder.emit(charged(9))
    expect(await waiting).toEqual(charged(9))
  })

  it('counts earlier and later events together', async () => {
    const recorder = new TelemetryRecorder()
    recorder.emit(charged(1))
    const third = recorder.waitFor('store.charged', undefined, 3)
    recorder.emit(charged(2))
    expect(await isSettled(third)).toBe(false)
    recorder.emit(charged(3))
    expect(await third).toEqual(charged(3))
    expect(await recorder.waitFor('store.charged', undefined, 2)).toEqual(charged(2))
  })

  it('serves several callers, each with its own condition', async () => {
    const recorder = new TelemetryRecorder()
    const small = recorder.waitFor('store.charged', ({ charge }) => charge < 5)
    const large = recorder.waitFor('store.charged', ({ charge }) => charge > 5)
    recorder.emit(charged(9))
    expect(await isSettled(small)).toBe(false)
    recorder.emit(charged(1))
    expect([await small, await large]).toEqual([charged(1), charged(9)])
  })

  it('does not call its condition after it has resolved', async () => {
    const recorder = new TelemetryRecorder()
    const asked: number[] = []
    const waiting = recorder.waitFor('store.charged', ({ charge }) => asked.push(charge) === 2)
    for (const charge of [1, 2, 3]) recorder.emit(charged(charge))
    expect(await waiting).toEqual(charged(2))
    expect(asked).toEqual([1, 2])
  })
})
