import { describe, expect, it } from 'vitest'
import { notRecorded } from '../../../src/operations/index.js'
import { VirtualClock } from '../../../src/platform/index.js'

describe('the record of a decision after the instances were changed', () => {
  it('has no note if it was made', async () => {
    expect(await notRecorded(new VirtualClock(), () => Promise.resolve())).toBeNull()
  })

  it('says in one line why it could not be made', async () => {
    const failed = (): Promise<void> => Promise.reject(new Error('no login\nno CLI\nno identity'))
    expect(await notRecorded(new VirtualClock(), failed)).toBe('no login')
  })

  it('is given up after five seconds without an answer', async () => {
    const clock = new VirtualClock()
    const notes: (string | null)[] = []
    const noting = notRecorded(clock, () => new Promise(() => undefined)).then((note) => notes.push(note))
    await clock.advance(4_999)
    expect(notes).toEqual([])
    await clock.advance(1)
    await noting
    expect(notes).toEqual(['the store has not answered within 5 s'])
  })
})
