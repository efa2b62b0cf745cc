import { describe, expect, it } from 'vitest'
import { bannedGlobals } from './banned-globals.js'
import { example } from './source.js'

function judge(text: string, path = 'src/sas/agents/agents.ts'): string[] {
  return bannedGlobals([example(path, text)])
}

describe('the check for banned globals', () => {
  it.each([
    'const at = Date.now()',
    'const at = globalThis.Date.now()',
    `const at = Date['now']()`,
    'const { now } = Date',
    'const now = Date.now',
    'const at = new Date()',
    'const at = new globalThis.Date()',
    'const at = Date()',
    'const at = performance.now()',
    'const at = process.hrtime.bigint()',
    'setTimeout(run, 1)',
    'globalThis.setTimeout(run, 1)',
    'const timers = { setTimeout }',
    'setInterval(run, 1)',
    'setImmediate(run)',
    `import { scheduler } from 'node:timers/promises'`,
    'const signal = AbortSignal.timeout(1)',
    'const chance = Math.random()',
    'const id = crypto.randomUUID()',
    'const id = globalThis.crypto.randomUUID()',
    `import { randomUUID } from 'node:crypto'`,
    'const id = randomUUID()',
    'const port = process.env.PORT',
    `const port = process['env']['PORT']`,
    'const { env } = process',
    'const { env: settings } = process',
    `import { env } from 'node:process'`,
  ])('catches %s', (text) => {
    expect(judge(text)).toEqual([expect.stringContaining('src/sas/agents/agents.ts:1: ')])
  })

  it.each([
    'const at = new Date(clock.now())',
    'const text = new Date(ms).toISOString()',
    'const at = Date.UTC(2026, 0, 1)',
    'const at = clock.now()',
    'socket.setTimeout(1)',
    'const port = { setTimeout: 1 }',
    'interface Port { setTimeout: number }',
    'process.exit(1)',
    'const { pid } = process',
    '// Date.now() would be wrong here',
    `const text = 'Math.random()'`,
    'const hash = crypto.createHmac(name, key)',
  ])('allows %s', (text) => {
    expect(judge(text)).toEqual([])
  })

  it('allows everything in the platform', () => {
    expect(judge('setTimeout(run, Date.now() + Math.random())', 'src/platform/clock.ts')).toEqual([])
  })

  it('allows only the environment in the host and in samples', () => {
    const text = 'const port = process.env.PORT\nconst at = Date.now()'
    const clockOnly = [expect.stringContaining(':2: Date.now: take a Clock')]
    expect(judge(text, 'src/host/host-config.ts')).toEqual(clockOnly)
    expect(judge(text, 'samples/orders/run.ts')).toEqual(clockOnly)
    expect(judge(text, 'samples/orders/services/main.ts')).toEqual(clockOnly)
    expect(judge(text, 'src/cli/main.ts')).toHaveLength(2)
  })
})
