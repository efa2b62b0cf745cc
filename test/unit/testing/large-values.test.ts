import { describe, expect, it } from 'vitest'
import { defineAgent } from '../../../src/sas/agents/agent.js'
import { defineWorkflow } from '../../../src/sas/workflow/workflow.js'
import {
  simulateWorkflow,
  type WorkflowSimulationOptions,
} from '../../../src/testing/stories/simulate-workflow.js'

interface Scan {
  readonly name: string
  readonly picture: string
}

const picture = 'p'.repeat(100_000)
const scan = { name: 'invoice', picture }
const scanner = defineAgent('scanner', {
  read: (_input: Scan): Scan => scan,
  drop: (_input: Scan) => null,
  file: (_input: { readonly picture: string; readonly name: string }): null => null,
})

/** A large input, a large output that a step and an undo need, and an end with or without an undo. */
const scanning = defineWorkflow<Scan>('scanning', (job) => {
  const read = job.step('read', scanner.read, job.input, { undo: (output) => scanner.drop(output) })
  const { picture: shown, name } = read.output
  job.step('file', scanner.file, { picture: shown, name }, { undo: 'none', onExhausted: 'compensate' })
})

/** The agents of a story, which note every value that is not the one that was given (I31). */
function story(isRefused: boolean): WorkflowSimulationOptions<Scan> {
  return {
    workflow: scanning,
    input: scan,
    setup: () => {
      const wrong: string[] = []
      const sees = (what: string, { name, picture: seen }: Scan): void => {
        if (name !== scan.name || seen !== picture) wrong.push(`I31: ${what} got another value`)
      }
      const agent = defineAgent('scanner', {
        read: (input: Scan): Scan => {
          sees('read', input)
          return scan
        },
        drop: (input: Scan) => {
          sees('drop', input)
          return null
        },
        file: (input: Scan, context): null => {
          sees('file', input)
          return isRefused ? context.failPermanently('no') : null
        },
      })
      return { agents: [agent], check: () => wrong }
    },
  }
}

describe('a job with large values under every single fault (I31)', () => {
  it.each([
    ['is done', false, 'Processed'],
    ['is undone', true, 'Compensated'],
  ] as const)(
    '%s with whole values, and no document refers to a missing payload',
    async (_name, refused, end) => {
      const { stories, ends, problems } = await simulateWorkflow({ ...story(refused), pairs: 2 })
      expect(problems).toEqual([])
      expect(ends[end]).toBeGreaterThan(stories / 2)
    },
  )

  it('writes each payload before its document (F-Y8)', async () => {
    for (const fault of ['crashBefore@W12#1', 'crashAfter@W12#1', 'crashAfter@W12#2', 'answerLost@W12#2']) {
      const { ends, problems } = await simulateWorkflow({ ...story(false), only: [fault] })
      expect([fault, problems, ends]).toEqual([fault, [], { Processed: 1 }])
    }
  })
})
