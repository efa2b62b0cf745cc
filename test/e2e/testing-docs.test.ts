import { describe, expect, it } from 'vitest'
import { textsIn } from './doc-page.js'
import { printed } from './printed-example.js'

const page = 'docs/testing-your-workflow.md'
const [withBug, withoutBug, stepByStep] = textsIn(page, 'ts')

describe(page, () => {
  it('has an example that finds an agent without idempotency, and prints what it shows (R74)', async () => {
    const [promised = ''] = textsIn(page, 'text')
    expect(promised).toContain('charged 2 times')
    expect(await printed(withBug)).toContain(promised)
  })

  it('has an example that finds nothing wrong with an agent that passes its key (R73)', async () => {
    expect(await printed(withoutBug)).toMatch(/^\d{2,} stories, nothing broken\n$/)
  })

  it('has an example that tells the story of a claim step by step, and prints what it shows', async () => {
    const [, promised] = textsIn(page, 'text')
    expect(await printed(stepByStep)).toBe(promised)
  })
})
