import { rmSync } from 'node:fs'
import { execPath } from 'node:process'
import { beforeEach, describe, expect, it } from 'vitest'
import { runKills, type Progress } from '../../long/kills.js'
import { compiledScript } from './compiled-sources.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

describe('the check of an emulator that is killed while it writes', () => {
  const script = compiledScript('../../long/endless-writer.ts')
  let dataDirectory: string

  beforeEach(() => {
    dataDirectory = scratchDirectory()
  })

  const run = (kills: number, onKill: (progress: Progress) => void): Promise<Progress> =>
    runKills({ writer: [execPath, script()], dataDirectory, kills, seed: 3, onKill })

  it('finds every acknowledged batch whole, over HTTP', async () => {
    const { kills, acknowledged, broken } = await run(4, () => undefined)
    expect(broken).toEqual([])
    expect(kills).toBe(4)
    expect(acknowledged).toBeGreaterThan(0)
  })

  it('notices lost data', async () => {
    const { kills, broken } = await run(4, ({ acknowledged }) => {
      if (acknowledged > 0) rmSync(dataDirectory, { recursive: true })
    })
    expect(kills).toBeLessThan(4)
    expect(broken.join('\n')).toMatch(/was acknowledged in round|the database is gone|and is/u)
  })
})
