import { expect, it, onTestFinished, vi } from 'vitest'
import { TextMemory } from '../../../src/emulator/engine/index.js'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { systemClock, type Clock } from '../../../src/platform/index.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

/** Takes over the timers of ten seconds. */
function heldTimers(): { readonly fire: () => void; readonly pending: () => number } {
  const held = new Set<() => void>()
  const real: Clock = { ...systemClock }
  vi.spyOn(systemClock, 'schedule').mockImplementation((ms, action) => {
    if (ms !== 10_000) return real.schedule(ms, action)
    held.add(action)
    return { cancel: () => void held.delete(action) }
  })
  onTestFinished(() => void vi.restoreAllMocks())
  return {
    fire: () => {
      const due = [...held]
      held.clear()
      for (const action of due) action()
    },
    pending: () => held.size,
  }
}

it('an account that comes to rest keeps an eighth of its memory, and finds the other documents on disk', async () => {
  const { fire, pending } = heldTimers()
  const grown = vi.spyOn(TextMemory.prototype, 'grow')
  const cosmos = createInProcessCosmos({ dataDirectory: scratchDirectory(), memoryBytes: 1_000_000 })
  cosmos.engine.createDatabase('shop')
  const container = cosmos.engine.createContainer('shop', { id: 'c', partitionKey: { paths: ['/pk'] } })
  const text = 'x'.repeat(2_000)
  const put = (number: number): void => {
    const document = { id: `d${number}`, pk: 'k', text }
    container.execute(['k'], { kind: 'upsert', document })
  }
  for (let number = 0; number < 200; number += 1) put(number)
  await cosmos.engine.applied()
  const memory = grown.mock.contexts[0] as TextMemory
  expect(memory.usedBytes).toBeGreaterThan(400_000)
  // The timer began with the first write, so the account was not at rest.
  fire()
  expect(memory.usedBytes).toBeGreaterThan(400_000)
  // Renewals of leases are a few writes.
  put(0)
  await cosmos.engine.applied()
  fire()
  expect(memory.usedBytes).toBeLessThanOrEqual(125_000)
  expect(pending()).toBe(0)
  expect(container.find(['k'], 'd7')?.text).toContain(text)
  put(1)
  expect(pending()).toBe(1)
  await cosmos.close()
  expect(pending()).toBe(0)
})
