import {
  cpSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { emptyGroup, type Group } from '../../../src/emulator/durability/journal-entries.js'
import { WriteAheadLog } from '../../../src/emulator/durability/write-ahead-log.js'
import { seededRandom } from '../../../src/platform/index.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

function groupOf(key: string, text: string): Group {
  const group = emptyGroup()
  group.entries.set(key, text)
  return group
}

it('no crash loses an acknowledged group, and no old group comes back', async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const random = seededRandom(seed)
    const pick = (n: number): number => Math.floor(random.next() * n)
    let directory = scratchDirectory()
    let record = ''
    /** What the store has, and what the logs have after it. */
    let stored: Record<string, unknown> = {}
    let logged: Record<string, unknown> = {}
    let ended: Record<string, unknown> = {}
    let log = new WriteAheadLog(directory, record)
    let count = 0
    for (let step = 0; step < 60; step += 1) {
      const what = pick(10)
      if (what < 5) {
        if (record === '') {
          await log.begin()
          record = log.record
        } else if (!log.isOpen) log.open()
        count += 1
        const key = `k${pick(5)}`
        const text = `${seed}-${count} ${'x'.repeat(pick(3) === 0 ? pick(40_000) : pick(400))}`
        await log.append(groupOf(key, text), pick(2) === 0)
        logged[key] = text
      } else if (what < 7 && record !== '') {
        // A transfer: begin, the record, the slices, the record without ended logs, remove.
        await log.begin()
        if (pick(4) > 0) {
          record = log.record
          ended = { ...ended, ...logged }
          logged = {}
          if (pick(3) > 0) {
            stored = { ...stored, ...ended }
            ended = {}
            record = log.recordWithoutEnded
            if (pick(4) > 0) await log.removeEnded()
            else await crash()
          } else await crash()
        } else await crash()
      } else if (what === 7) await crash()
      else if (what === 8 && pick(2) === 0 && record !== '') {
        stored = { ...stored, ...ended, ...logged }
        ended = {}
        logged = {}
        record = ''
        if (pick(2) === 0) await log.removeAll()
        log.close()
        log = new WriteAheadLog(directory, record)
      }
      if (record !== '' && log.isOpen) {
        const found = new WriteAheadLog(directory, record).logged.group.entries
        expect(Object.fromEntries(found), `seed ${seed} step ${step}`).toEqual({ ...ended, ...logged })
      }
    }
    log.close()
    rmSync(directory, { recursive: true })

    async function crash(): Promise<void> {
      const copy = scratchDirectory()
      for (const name of readdirSync(directory)) {
        // The removal or the rename of a file that the store does not need may or may not be on disk.
        if (name === 'spare.log' && pick(2) === 0) continue
        cpSync(join(directory, name), join(copy, name))
      }
      log.close()
      rmSync(directory, { recursive: true })
      directory = copy
      const last = Number(record.split(' ')[1])
      const path = join(directory, `writes-${last}.log`)
      // A group that was not acknowledged was cut short: some of its bytes are over the zeros or old groups.
      if (record !== '' && existsSync(path)) {
        const probe = new WriteAheadLog(directory, record)
        const end = probe.bytes
        const bytes = readFileSync(path)
        const torn = Buffer.concat([Buffer.from('\nSTWLOG\n'), Buffer.alloc(pick(300), 7)])
        if (pick(2) === 0) {
          const whole = Buffer.alloc(Math.max(bytes.length, end + torn.length))
          bytes.copy(whole)
          torn.copy(whole, end)
          writeFileSync(path, whole)
        }
        if (pick(3) === 0 && statSync(path).size > end)
          truncateSync(path, end + pick(statSync(path).size - end))
      }
      log = new WriteAheadLog(directory, record)
      expect(Object.fromEntries(log.logged.group.entries), `seed ${seed}`).toEqual({ ...ended, ...logged })
    }
  }
})
