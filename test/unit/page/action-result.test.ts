import { afterAll, describe, expect, it, vi } from 'vitest'
import { plansOf } from '../../../src/page/api/repairs.js'
import { together } from '../../../src/page/browser/parts/reports.js'

// The modules of the page read the address of the browser when they are loaded.
vi.hoisted(() => {
  vi.stubGlobal('location', new URL('http://localhost/'))
  vi.stubGlobal('addEventListener', () => undefined)
})
afterAll(() => {
  vi.unstubAllGlobals()
})

interface Parts {
  readonly ActionResult: (properties: { kind: string; report: object; close: () => void }) => object
}

// Its types would add those of a browser to all tests, so the module is named by a value.
const parts = '../../../src/page/browser/parts'
const { ActionResult } = (await import(`${parts}/action-result.js`)) as Parts

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

  it('says for how many jobs a cancellation lists the steps, also if it is tried in parts', () => {
    const part = (from: number) => {
      const ids = Array.from({ length: 30 }, (_, index) => `J-${from + index}`)
      const steps = { stopped: [], undone: ['pay'], kept: [] }
      return {
        isDryRun: true,
        done: ids,
        refused: [],
        plans: ids.slice(0, 20).map((jobId) => ({ jobId, ...steps })),
      }
    }
    const sum = together(part(0), part(30))
    expect(sum.plans?.map(({ jobId }) => jobId)).toEqual(part(0).done.slice(0, 20))
    expect(shown(sum, 'cancel')).toContain('The steps of 20 of the 60 jobs are listed.')
    const one = { done: ['J-1'], plans: part(1).plans.slice(0, 1) }
    expect(shown(one, 'cancel')).not.toContain('are listed')
  })

  it('keeps the plans and their number when an action is carried out in parts', () => {
    const part = { isDryRun: true, done: ['a'], refused: [], ...plansOf(plans(21)) }
    const sum = together({ isDryRun: true, done: [], refused: [] }, together(part, part))
    expect(sum).toMatchObject({ done: ['a', 'a'], otherPlans: 2 })
    expect(sum.migrated).toHaveLength(40)
  })
})
