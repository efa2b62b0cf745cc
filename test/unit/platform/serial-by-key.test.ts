import { describe, expect, it } from 'vitest'
import { SerialByKey } from '../../../src/platform/serial-by-key.js'
import { deferred } from '../../support/deferred.js'

/** Returns work that logs its beginning and its end, and ends on request. */
function work(name: string, log: string[]) {
  const end = deferred()
  const begun = deferred()
  const run = async (): Promise<string> => {
    log.push(`${name} begins`)
    begun.resolve()
    await end.promise
    log.push(`${name} ends`)
    return name
  }
  return { run, begun: begun.promise, end: end.resolve, fail: end.reject }
}

describe('SerialByKey (F-D15)', () => {
  it('runs work one after another for one key, and concurrently for other keys', async () => {
    const serial = new SerialByKey()
    const log: string[] = []
    const [first, second, other] = [work('first', log), work('second', log), work('other', log)]
    const results = [serial.run('a', first.run), serial.run('a', second.run), serial.run('b', other.run)]
    await first.begun
    await other.begun
    expect(log).toEqual(['first begins', 'other begins'])
    first.end()
    await second.begun
    second.end()
    other.end()
    expect(await Promise.all(results)).toEqual(['first', 'second', 'other'])
    expect(log.slice(2, 4)).toEqual(['first ends', 'second begins'])
  })

  it('continues after failed work, whose failure goes to its caller', async () => {
    const serial = new SerialByKey()
    const log: string[] = []
    const [first, second] = [work('first', log), work('second', log)]
    const failing = serial.run('a', first.run)
    const next = serial.run('a', second.run)
    first.fail(new Error('broken'))
    await expect(failing).rejects.toThrow('broken')
    second.end()
    expect(await next).toBe('second')
  })

  it('runs urgent work before all waiting work, in the order of its arrival', async () => {
    const serial = new SerialByKey()
    const log: string[] = []
    const all = ['first', 'page 1', 'page 2', 'outcome 1', 'outcome 2'].map((name) => work(name, log))
    const results = all.map(({ run }, index) => (index < 3 ? serial.run('a', run) : serial.runSoon('a', run)))
    for (const { end } of all) end()
    await Promise.all(results)
    const begun = log.filter((line) => line.endsWith('begins'))
    expect(begun).toEqual(
      ['first', 'outcome 1', 'outcome 2', 'page 1', 'page 2'].map((name) => `${name} begins`),
    )
  })

  it('begins work at once for a key without running work', async () => {
    const serial = new SerialByKey()
    const log: string[] = []
    const [first, second] = [work('first', log), work('second', log)]
    first.end()
    await serial.run('a', first.run)
    const running = serial.run('a', second.run)
    await second.begun
    second.end()
    expect(await running).toBe('second')
  })

  it('is idle when no work is running or waits', async () => {
    const serial = new SerialByKey()
    const log: string[] = []
    const [first, second] = [work('first', log), work('second', log)]
    expect(serial.isIdle).toBe(true)
    await serial.idle()
    const results = [serial.run('a', first.run), serial.run('a', second.run)]
    const idle = serial.idle().then(() => log.push('idle'))
    first.end()
    second.end()
    await Promise.all([...results, idle])
    expect(log.at(-1)).toBe('idle')
    expect(log).toContain('second ends')
    expect(serial.isIdle).toBe(true)
  })
})
