import { existsSync, readFileSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { emptyGroup, type Group } from '../../../src/emulator/durability/journal-entries.js'
import { WriteAheadLog } from '../../../src/emulator/durability/write-ahead-log.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

let directory: string
beforeEach(() => {
  directory = scratchDirectory()
})

const fileOf = (name: string): string => join(directory, name)

function groupOf(key: string, text: string): Group {
  const group = emptyGroup()
  group.entries.set(key, text)
  return group
}

/** Returns the values that a start reads from the logs that the store needs. */
function valuesOf(record: string): Record<string, unknown> {
  return Object.fromEntries(new WriteAheadLog(directory, record).logged.group.entries)
}

/** A log whose first file has ended and belongs to no log, and whose third log has begun in it. */
async function thirdLog(): Promise<WriteAheadLog> {
  const log = new WriteAheadLog(directory, '')
  await log.begin()
  for (const key of ['a', 'b', 'c']) await log.append(groupOf(key, `old ${'x'.repeat(500)}`), true)
  await log.begin()
  await log.append(groupOf('second', 'value'), true)
  await log.removeEnded()
  await log.begin()
  return log
}

describe('the file of a log that has ended', () => {
  it('becomes the file of a later log, without its groups', async () => {
    const log = await thirdLog()
    expect(readdirSync(directory).sort()).toEqual(['writes-2.log', 'writes-3.log'])
    const length = statSync(fileOf('writes-3.log')).size
    expect(length).toBeGreaterThan(200_000)
    expect(readFileSync(fileOf('writes-3.log'), 'utf8')).toContain('old xxx')
    expect(valuesOf(log.record)).toEqual({ second: 'value' })
    await log.append(groupOf('third', 'new'), true)
    await log.append(groupOf('fourth', 'y'.repeat(600)), false)
    expect(valuesOf(log.record)).toEqual({ second: 'value', third: 'new', fourth: 'y'.repeat(600) })
    expect(statSync(fileOf('writes-3.log')).size).toBe(length)
    log.close()
  })

  it('hides no group that a crash cut short, and is no damage after it', async () => {
    const log = await thirdLog()
    await log.append(groupOf('third', 'new'), true)
    const whole = log.bytes
    await log.append(groupOf('cut', 'short'), true)
    const bytes = readFileSync(fileOf('writes-3.log'))
    bytes.write('?', log.bytes - 2)
    writeFileSync(fileOf('writes-3.log'), bytes)
    const { record } = log
    log.close()
    expect(valuesOf(record)).toEqual({ second: 'value', third: 'new' })
    const next = new WriteAheadLog(directory, record)
    next.open()
    expect(statSync(fileOf('writes-3.log')).size).toBe(whole)
    await next.append(groupOf('next', 'group'), true)
    next.close()
    expect(valuesOf(record)).toEqual({ second: 'value', third: 'new', next: 'group' })
  })

  it('is damage if a group of its own log before another one was altered', async () => {
    const log = await thirdLog()
    await log.append(groupOf('third', 'new'), true)
    await log.append(groupOf('fourth', 'new'), true)
    const bytes = readFileSync(fileOf('writes-3.log'))
    bytes.write('?', 20)
    writeFileSync(fileOf('writes-3.log'), bytes)
    const { record } = log
    log.close()
    expect(() => valuesOf(record)).toThrow(/writes-3\.log is damaged \(at byte 0\)/u)
  })

  it('is not kept if it is very long, nor when the directory is closed', async () => {
    const log = await thirdLog()
    await log.removeEnded()
    expect(existsSync(fileOf('spare.log'))).toBe(true)
    await log.begin()
    truncateSync(fileOf('writes-3.log'), 2 ** 24 + 1)
    await log.removeEnded()
    expect(readdirSync(directory)).toEqual(['writes-4.log'])
    await log.begin()
    await log.removeEnded()
    expect(readdirSync(directory).sort()).toEqual(['spare.log', 'writes-5.log'])
    await log.removeAll()
    expect(readdirSync(directory)).toEqual([])
  })

  it('is not used by another process, because the numbers of its logs may be the same', async () => {
    const log = await thirdLog()
    await log.removeEnded()
    const { record } = log
    log.close()
    const next = new WriteAheadLog(directory, record)
    await next.begin()
    expect(existsSync(fileOf('spare.log'))).toBe(true)
    expect(statSync(fileOf('writes-4.log')).size).toBe(0)
    await next.removeEnded()
    expect(readFileSync(fileOf('spare.log'), 'utf8')).not.toContain('second')
    next.close()
  })
})
