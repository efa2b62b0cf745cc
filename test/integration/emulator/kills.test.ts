import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runKills, type Progress } from '../../long/kills.js'
import { compiledScript } from './compiled-sources.js'

describe('kills of a writing emulator', () => {
  let script: string
  let dataDirectory: string

  beforeAll(() => {
    script = compiledScript('../../long/endless-writer.ts')
  })

  afterAll(() => {
    // …/compiled-xxxx/test/long/endless-writer.js
    rmSync(join(script, '../../..'), { recursive: true })
  })

  beforeEach(() => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'stepward-'))
  })

  afterEach(() => {
    rmSync(dataDirectory, { recursive: true, force: true })
  })

  const run = (kills: number, onKill: (progress: Progress) => void): Promise<Progress> =>
    runKills({ writer: [execPath, script], dataDirectory, kills, seed: 3, onKill })

  it('leave every acknowledged batch whole, over HTTP', async () => {
    const { kills, acknowledged, broken } = await run(4, () => undefined)
    expect(broken).toEqual([])
    expect(kills).toBe(4)
    expect(acknowledged).toBeGreaterThan(0)
  })

  it('are noticed when they did lose something', async () => {
    const { kills, broken } = await run(4, ({ acknowledged }) => {
      if (acknowledged > 0) rmSync(dataDirectory, { recursive: true })
    })
    expect(kills).toBeLessThan(4)
    expect(broken.join('\n')).toMatch(/was acknowledged in round|the database is gone|and is/u)
  })
})
