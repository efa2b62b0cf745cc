import { afterAll, describe, expect, it, vi } from 'vitest'

// The modules of the page read the address of the browser when they are loaded.
vi.hoisted(() => {
  vi.stubGlobal('location', new URL('http://localhost/'))
  vi.stubGlobal('addEventListener', () => undefined)
})
afterAll(() => {
  vi.unstubAllGlobals()
})

interface Buttons {
  readonly pauseOrResume: (job: object) => { readonly kind: string } | null
  readonly mayBeCancelled: (job: object) => boolean
}

interface Texts {
  readonly effectOf: (present: object, fields: object) => string
}

// The types of these modules would add those of a browser to all tests, so values name the modules.
const browser = '../../../src/page/browser'
const { pauseOrResume, mayBeCancelled } = (await import(`${browser}/parts/action-buttons.js`)) as Buttons
const { effectOf } = (await import(`${browser}/parts/action-texts.js`)) as Texts

const job = { state: 'Processing', paused: null, restartedAs: null, compensation: null }
const [forGood, first] = [{ thenRetry: false }, { thenRetry: true }]

describe('the buttons of a job', () => {
  it.each([
    [{}, true],
    [{ state: 'Error' }, true],
    [{ state: 'Compensating', compensation: first }, true],
    [{ state: 'Compensating', compensation: forGood }, false],
    [{ state: 'Error', compensation: forGood }, false],
    [{ state: 'Error', restartedAs: { jobId: 'o.r1' } }, false],
    [{ state: 'Processed' }, false],
    [{ state: 'Compensated', compensation: forGood }, false],
  ])('%j can be cancelled: %s', (parts, may) => {
    expect(mayBeCancelled({ ...job, ...parts })).toBe(may)
  })

  it.each([
    [{}, 'pause'],
    [{ state: 'Error' }, undefined],
    [{ paused: { by: 'ann' } }, 'resume'],
    [{ paused: { by: 'ann', with: { kind: 'workflow', name: 'buying' } } }, undefined],
  ])('%j offers %s', (parts, kind) => {
    expect(pauseOrResume({ ...job, ...parts })?.kind).toBe(kind)
  })
})

describe('the effect in a dialog', () => {
  const fields = { more: {} }

  it('says of a key that the deadlines of jobs run, and of other pauses that they do not', () => {
    const ofKey = effectOf({ kind: 'pause', target: { what: 'key', name: 'bank' } }, fields)
    expect(ofKey).toContain('the deadline of its job does')
    expect(effectOf({ kind: 'pause', target: { what: '', name: '' } }, { more: { what: 'key' } })).toBe(ofKey)
    expect(effectOf({ kind: 'pause', target: { what: 'agent', name: 'bank' } }, fields)).toContain(
      'The deadlines of paused jobs do not run.',
    )
    expect(effectOf({ kind: 'resume', target: { what: 'key', name: 'bank' } }, fields)).not.toContain(
      'Deadlines',
    )
  })

  it('says of a failed undo that it is tried again', () => {
    expect(effectOf({ kind: 'resubmit', isUndo: true }, fields)).toContain(
      'undos that failed are tried again',
    )
    expect(effectOf({ kind: 'resubmit' }, fields)).toContain('A job that was undone begins again.')
  })
})
