import { afterAll, describe, expect, it, vi } from 'vitest'
import { plansOf } from '../../../src/page/api/repairs.js'

// The modules of the page read the address of the browser when they are loaded.
vi.hoisted(() => {
  vi.stubGlobal('location', new URL('http://localhost/'))
  vi.stubGlobal('addEventListener', () => undefined)
})
afterAll(() => {
  vi.unstubAllGlobals()
})

interface Parts {
  readonly inFields: (reason: string) => string
  readonly ActionResult: (properties: { kind: string; report: object; close: () => void }) => object
}

// Its types would add those of a browser to all tests, so the module is named by a value.
const parts = '../../../src/page/browser/parts'
const { ActionResult, inFields } = (await import(`${parts}/action-result.js`)) as Parts

const plan = (jobId: string) => ({ jobIds: [jobId], changed: [], kept: [], edit: { changes: [], others: 0 } })
const plans = (count: number) => Array.from({ length: count }, (_, index) => plan(`J-${index}`))
const refusals = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ jobId: `R-${index}`, reason: 'it has ended' }))

/** Returns the texts that the report of a dry run contains. */
const shown = (report: object, kind = 'migrate'): string =>
  JSON.stringify(
    ActionResult({
      kind,
      report: { isDryRun: true, done: [], refused: [], ...report },
      close: () => undefined,
    }),
  )

describe('the report of an action', () => {
  it('says how many groups of jobs and how many refusals it leaves out', () => {
    expect(plansOf(plans(20))).toMatchObject({ otherPlans: 0 })
    expect(shown(plansOf(plans(20)))).not.toContain('more')
    const cut = plansOf(plans(23))
    expect(cut.migrated).toHaveLength(20)
    expect(shown(cut)).toContain('and 3 more groups of jobs')
    expect(shown({ refused: refusals(100) })).not.toContain('more')
    expect(shown({ refused: refusals(102) })).toContain('and 2 more')
  })

  it('names the field of the dialog in place of an option of the API', () => {
    const reason = 'pay runs again: pass after: "undo" to undo first, or after: "keep" to leave it'
    const text =
      'pay runs again: in “Effects of steps that run again”, choose “undo” to undo first, or “keep” to'
    expect(shown({ refused: [{ jobId: 'J-1', reason }] }, 'restart')).toContain(text)
    expect(inFields(reason)).toContain(text)
  })

  it('says for how many jobs a cancellation lists the steps', () => {
    const ids = Array.from({ length: 60 }, (_, index) => `J-${index}`)
    const plans = ids
      .slice(0, 20)
      .map((jobId) => ({ jobId, stopped: [], undone: ['pay'], kept: [], uncertain: [] }))
    expect(shown({ done: ids, plans }, 'cancel')).toContain('The steps of 20 of the 60 jobs are listed.')
    const one = { done: ['J-0'], plans: plans.slice(0, 1) }
    expect(shown(one, 'cancel')).not.toContain('are listed')
  })
})
