import { describe, expect, it } from 'vitest'
import { quickCheck } from '../../../../../src/sas/model/checks/quick-check.js'
import { isStoredJob } from '../../../../../src/sas/model/checks/stored-job.js'
import { isStoredStep } from '../../../../../src/sas/model/checks/stored-step.js'
import { jobSchema, stepSchema } from '../../../../../src/sas/model/documents.js'
import { JobStory } from '../../../../support/job-story.js'

const story = JobStory.submitted({ pay: [], ship: ['pay'] }, {}).scheduled()
const kinds = {
  job: { schema: jobSchema, isStored: isStoredJob, document: asRead(story.job) },
  step: { schema: stepSchema, isStored: isStoredStep, document: asRead(story.step('pay')) },
}
const kindNames = Object.keys(kinds) as (keyof typeof kinds)[]

/** At least one of these values is wrong for each field, and one is right for each field that is not an object. */
const values = [
  null,
  undefined,
  '',
  'error',
  0,
  1.5,
  Infinity,
  Number.NaN,
  true,
  [],
  ['a'],
  [1],
  {},
  { a: 1 },
  1n,
]

function asRead(document: object): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(document)) as Record<string, unknown>
}

describe('the check of a stored document', () => {
  it.each(kindNames)('accepts a %s, also with fields that it does not know', (kind) => {
    const { isStored, document } = kinds[kind]
    expect([isStored(document), isStored({ ...document, unknown: 1 })]).toEqual([true, true])
  })

  it.each(kindNames)('agrees with the schema about every value of every field of a %s', (kind) => {
    const { schema, isStored, document } = kinds[kind]
    const check = quickCheck(schema.loose())
    for (const name of Object.keys(schema.shape)) {
      const missing = { ...document }
      Reflect.deleteProperty(missing, name)
      const changed = values.map((value) => ({ ...document, [name]: value }))
      const results = [missing, ...changed].map((candidate) => isStored(candidate))
      const expected = [missing, ...changed].map((candidate) => check(candidate))
      expect([name, results]).toEqual([name, expected])
      expect([name, results.includes(false)]).toEqual([name, true])
    }
  })

  it.each(kindNames)('refuses a %s with a field named __proto__', (kind) => {
    const { isStored, document } = kinds[kind]
    const text = `${JSON.stringify(document).slice(0, -1)},"__proto__":1}`
    expect(isStored(JSON.parse(text))).toBe(false)
  })

  it.each([null, 'a', 1, [], new Map()])('%# refuses a value that is not a plain object', (value) => {
    expect([isStoredJob(value), isStoredStep(value)]).toEqual([false, false])
  })
})
