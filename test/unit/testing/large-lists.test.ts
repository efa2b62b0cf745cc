import { describe, expect, it } from 'vitest'
import { defineAgent } from '../../../src/sas/agents/agent.js'
import { defineWorkflow } from '../../../src/sas/workflow/workflow.js'
import {
  simulateWorkflow,
  type WorkflowSimulationOptions,
} from '../../../src/testing/stories/simulate-workflow.js'

const clerk = defineAgent('clerk', {
  settle: (_input: { readonly of: number }): null => null,
  report: (_input: { readonly done: number; readonly failed: number }): null => null,
})
const settling = defineWorkflow<number>('settling', (job) => {
  job.step('settle', clerk.settle, { of: job.input }, { undo: 'none' })
})
const nightly = defineWorkflow<{ readonly items: readonly number[] }>('nightly', (job) => {
  const settled = job.forEach('each', job.input.items, settling, { atOnce: 2 })
  const { done, failed } = settled.output
  job.step('report', clerk.report, { done, failed }, { undo: 'none' })
})

const items = [10, 11, 12, 13, 14]

/** A run over five items, of which the third cannot be settled. A service notes every key. */
function story(): WorkflowSimulationOptions<{ readonly items: readonly number[] }> {
  return {
    workflow: nightly,
    input: { items },
    setup: () => {
      const settled = new Map<string, number>()
      const reports: unknown[] = []
      const agent = defineAgent('clerk', {
        settle: ({ of }: { readonly of: number }, context): null => {
          settled.set(context.idempotencyKey, of)
          return of === 12 ? context.failPermanently('not today') : null
        },
        report: (input: unknown): null => {
          reports.push(input)
          return null
        },
      })
      const check = (): readonly string[] => {
        const keys = items.map((of, index): [string, number] => [`job/each/${index}/settle/g1/do`, of])
        const isEach = JSON.stringify([...settled].sort()) === JSON.stringify(keys)
        const wrong = reports.filter((report) => JSON.stringify(report) !== '{"done":4,"failed":1}')
        return [
          ...(isEach ? [] : [`I32: the items were ${JSON.stringify([...settled])}`]),
          ...wrong.map((report) => `I32: the report was ${JSON.stringify(report)}`),
          ...(reports.length === 0 ? ['there was no report'] : []),
        ]
      }
      return { agents: [agent], check }
    },
  }
}

describe('a list whose items are jobs, under every single fault (I32, F-Y9)', () => {
  it('is one job for each item, and counts each of them once', async () => {
    const { problems, ends, stories } = await simulateWorkflow({ ...story(), pairs: 1 })
    expect(problems).toEqual([])
    expect(ends).toEqual({ Processed: stories })
  })
})
