import { describe, expect, it } from 'vitest'
import { textsIn } from './doc-page.js'
import { printed } from './printed-example.js'

const page = 'docs/testing-your-workflow.md'
const [withBug, withoutBug] = textsIn(page, 'ts')

describe(page, () => {
  it('R74: finds the bug of an agent that is not idempotent, as the page prints it', async () => {
    const [promised = ''] = textsIn(page, 'text')
    expect(promised).toContain('charged 2 times')
    expect(await printed(withBug)).toContain(promised)
  })

  it('R73: finds nothing in the same agent with a key', async () => {
    expect(await printed(withoutBug)).toMatch(/^\d{2,} stories, nothing broken\n$/)
  })
})
