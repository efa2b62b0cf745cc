import { describe, expect, it } from 'vitest'
import { example } from './source.js'
import { idleTests, sleepingTests } from './test-discipline.js'

const path = 'test/unit/a.test.ts'

describe('the check for idle tests', () => {
  it.each([
    `it.only('a', run)`,
    `describe.skip('a', run)`,
    `test.concurrent.only('a', run)`,
    `it.todo('a')`,
    `it.each([1]).skip('a', run)`,
    `it('a', { skip: true }, run)`,
    `context.skip()`,
    `expect(true).toBe(true)`,
    `expect(1).not.toBe(2)`,
    `expect('a').toBe('a')`,
    `expect(null).toBeNull()`,
  ])('catches %s', (text) => {
    expect(idleTests([example(path, text)])).toEqual([expect.stringContaining(`${path}:1: `)])
  })

  it.each([
    `it('a', run)`,
    `it.each([1])('a', run)`,
    `describe.runIf(endpoint)('a', run)`,
    `it('a', { timeout: 1 }, run)`,
    `expect(result).toBe(true)`,
    `expect(\`\${result}\`).toBe('a')`,
    `cursor.skip(3)`,
    `const text = 'it.only(a)'`,
  ])('allows %s', (text) => {
    expect(idleTests([example(path, text)])).toEqual([])
  })
})

describe('the check for sleeping tests', () => {
  const judge = (text: string, allowed = {}): string[] => sleepingTests([example(path, text)], allowed)

  it.each([
    `setTimeout(resolve, 10)`,
    `globalThis.setTimeout(resolve, 10)`,
    `await new Promise((resolve) => setTimeout(resolve, 10))`,
    `setInterval(poll, 10)`,
    `await systemClock.sleep(10)`,
    `systemClock.schedule(10, resolve)`,
    `import { scheduler } from 'node:timers/promises'`,
    `const { setTimeout: pause } = await import('timers/promises')`,
  ])('catches %s', (text) => {
    expect(judge(text).length).toBeGreaterThan(0)
  })

  it.each([
    `await clock.sleep(10)`,
    `systemClock.now()`,
    `vi.advanceTimersByTime(10)`,
    `clearTimeout(timer)`,
  ])('allows %s', (text) => {
    expect(judge(text)).toEqual([])
  })

  it('excuses files by path, as long as they need it', () => {
    const excuse = { [path]: 'the timer itself is under test' }
    expect(judge('setTimeout(resolve, 10)', excuse)).toEqual([])
    expect(judge('run()', excuse)).toEqual([expect.stringContaining('take it off the list')])
  })
})
