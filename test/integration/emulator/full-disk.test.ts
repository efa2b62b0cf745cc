import { spawn } from 'node:child_process'
import { execPath } from 'node:process'
import { beforeEach, describe, expect, it } from 'vitest'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { compiledScript } from './compiled-sources.js'
import { logsIn } from './dead-directory.js'
import type { Told } from './full-disk-writer.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

describe('an emulator whose disk is full', () => {
  const script = compiledScript('full-disk-writer.ts')
  let dataDirectory: string

  beforeEach(() => {
    dataDirectory = scratchDirectory()
  })

  /** Starts a process whose files may have this many blocks of 512 bytes. Further writes fail. */
  function writer(blocks: number): Promise<{ readonly code: number | null; readonly said: string }> {
    const command = `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`
    const child = spawn('sh', ['-c', command, execPath, script(), dataDirectory], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (said += text))
    }
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, said })))
  }

  it.each([
    // No room for the log.
    ['the log', 4_000, 1],
    // Room for each log, but not for the store.
    ['the store', 24_000, 2],
  ])(
    'answers 503 to writes and reads, stays up, and keeps acknowledged data (%s)',
    async (_place, blocks, logs) => {
      const { code, said } = await writer(blocks)
      const line = said.split('\n').find((text) => text.startsWith('{"ack')) ?? said
      expect(line).toContain('could not be written')
      const { acknowledged, statuses } = JSON.parse(line) as Told
      expect({ code, statuses }).toEqual({ code: 0, statuses: [503, 503, 503] })
      expect(acknowledged).toBeGreaterThan(3)
      // A log is kept until all of its writes are in the store.
      expect(logsIn(dataDirectory)).toHaveLength(logs)
      const cosmos = createInProcessCosmos({ dataDirectory })
      const { documentCount } = cosmos.engine.container('shop', 'orders')
      expect(documentCount).toBe(acknowledged)
      await cosmos.close()
    },
  )
})
