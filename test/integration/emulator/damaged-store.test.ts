import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import { checkedFormat } from '../../../src/emulator/durability/store-check.js'
import { seededRandom } from '../../../src/platform/index.js'

/** The number of damaged copies in a run of the suite. `STEPWARD_DAMAGES` changes it. */
const damages = Number(env['STEPWARD_DAMAGES'] ?? 60)

const pageBytes = 8192

describe('a damaged data directory', () => {
  let scratch: string
  let intact: string
  let shown: string
  let dataDirectory: string

  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'stepward-'))
    intact = join(scratch, 'intact')
    const cosmos = createInProcessCosmos({ dataDirectory: intact, partitionCount: 2 })
    cosmos.engine.createDatabase('shop')
    const container = cosmos.engine.createContainer('shop', {
      id: 'orders',
      partitionKey: { paths: ['/id'] },
    })
    for (let round = 0; round < 4; round += 1) {
      for (let index = 0; index < 150; index += 1) {
        const document = { id: `o${index}`, round, text: 'x'.repeat((index * 97) % 6_000) }
        container.execute([document.id], { kind: 'upsert', document })
        if (index % 30 === 0) await cosmos.engine.settled()
      }
    }
    for (let index = 0; index < 60; index += 1)
      container.execute([`o${index}`], { kind: 'delete', id: `o${index}` })
    shown = everything(cosmos)
    await cosmos.close()
  })

  afterAll(() => {
    rmSync(scratch, { recursive: true })
  })

  beforeEach(() => {
    dataDirectory = join(scratch, 'damaged')
    cpSync(intact, dataDirectory, { recursive: true })
  })

  afterEach(() => {
    rmSync(dataDirectory, { recursive: true })
  })

  function everything({ engine }: InProcessCosmos): string {
    const { partitions } = engine.container('shop', 'orders')
    return JSON.stringify(
      partitions.map(({ lsn, changes }) => [lsn, [...changes.after(0)].map(({ fields }) => fields)]),
    )
  }

  const file = (): string => join(dataDirectory, 'data.mdb')

  /** Returns the message of the refusal, or null if the directory opens unchanged and accepts writes. */
  async function refusal(): Promise<string | null> {
    let cosmos: InProcessCosmos
    try {
      cosmos = createInProcessCosmos({ dataDirectory })
    } catch (error) {
      return error instanceof Error ? error.message : 'no error'
    }
    expect(everything(cosmos)).toBe(shown)
    const container = cosmos.engine.container('shop', 'orders')
    for (let index = 0; index < 20; index += 1) {
      const document = { id: `new${index}`, text: 'y'.repeat(index * 500) }
      container.execute([document.id], { kind: 'create', document })
      if (index % 10 === 0) await cosmos.engine.settled()
    }
    await cosmos.close()
    const again = createInProcessCosmos({ dataDirectory })
    expect(again.engine.container('shop', 'orders').documentCount).toBe(90 + 20)
    await again.close()
    return null
  }

  it('is refused with a message, or opens with its data unchanged', async () => {
    const random = seededRandom(7)
    const pick = (count: number): number => Math.floor(random.next() * count)
    const bytes = readFileSync(file())
    const pages = bytes.length / pageBytes
    const kinds: readonly ((copy: Buffer) => Buffer)[] = [
      (copy) => {
        const at = pick(copy.length)
        copy[at] = (copy[at] ?? 0) ^ (1 << pick(8))
        return copy
      },
      (copy) => copy.fill(pick(256), pick(copy.length), pick(copy.length)),
      (copy) => copy.fill(0, pick(pages) * pageBytes, (pick(pages) + 1) * pageBytes),
      (copy) => {
        const [from, to] = [pick(pages) * pageBytes, pick(pages) * pageBytes]
        copy.copy(copy, to, from, from + pageBytes)
        return copy
      },
      (copy) => copy.subarray(0, pick(copy.length)),
      (copy) => {
        // These bytes hold the structure: the meta pages, and the headers of other pages.
        const at = pick(pages) * pageBytes + pick(64)
        copy[at] = pick(256)
        return copy
      },
    ]
    let refused = 0
    for (let round = 0; round < damages; round += 1) {
      const damaged = kinds[round % kinds.length]?.(Buffer.from(bytes)) ?? bytes
      cpSync(intact, dataDirectory, { recursive: true })
      writeFileSync(file(), damaged)
      const sentence = await refusal()
      if (sentence === null) continue
      refused += 1
      expect(sentence).toMatch(
        /data\.mdb is .*: put a back-up of the directory in its place, or choose another|format/u,
      )
    }
    expect(refused).toBeGreaterThan(damages / 4)
  })

  it.each([
    ['an empty file', () => truncateSync(file(), 0), 'data.mdb is empty'],
    ['half a file', () => truncateSync(file(), 100_000), 'data.mdb is damaged'],
    ['no file', () => rmSync(file()), 'data.mdb is missing'],
    [
      'a record that was altered',
      () => {
        const bytes = readFileSync(file())
        // Pages that are free now have older versions of the record.
        for (let at = bytes.indexOf('"o148"'); at >= 0; at = bytes.indexOf('"o148"', at + 1)) {
          bytes.write('o149', at + 1)
        }
        writeFileSync(file(), bytes)
      },
      'is altered',
    ],
  ])('is refused with a message: %s instead of data', async (_name, damage, sentence) => {
    damage()
    expect(await refusal()).toContain(sentence)
    expect(await refusal()).toContain(sentence)
  })

  it('is refused if it is too large to be read as a whole, and its structure is damaged', () => {
    const most = 0
    expect(checkedFormat(dataDirectory, most)).toBe('8')
    const bytes = readFileSync(file())
    const branches = Array.from({ length: bytes.length / pageBytes }, (_, page) => page * pageBytes).filter(
      (at) => bytes.readUInt16LE(at + 18) === 1,
    )
    expect(branches.length).toBeGreaterThan(0)
    const damagedAt = (at: number, value: number): Buffer => {
      const copy = Buffer.from(bytes)
      copy.writeUInt16LE(value, at)
      return copy
    }
    const damagedCopies = [
      bytes.subarray(0, 10 * pageBytes),
      damagedAt(18, 3),
      branches.reduce((copy, at) => {
        copy.writeUInt16LE(9, at + 18)
        return copy
      }, Buffer.from(bytes)),
    ]
    for (const copy of damagedCopies) {
      writeFileSync(file(), copy)
      expect(() => checkedFormat(dataDirectory, most)).toThrow(/data\.mdb is damaged/u)
    }
  })

  it('opens if only its table of readers is damaged', async () => {
    writeFileSync(join(dataDirectory, 'lock.mdb'), Buffer.alloc(8_272, 0xa5))
    expect(await refusal()).toBeNull()
  })

  it('opens as a new one if its first start was interrupted before it made a store', async () => {
    for (const left of ['', 'x'.repeat(100)]) {
      const directory = join(scratch, 'unfinished')
      await createInProcessCosmos({ dataDirectory: directory }).close()
      writeFileSync(join(directory, 'data.unfinished'), '')
      writeFileSync(join(directory, 'data.mdb'), left)
      const cosmos = createInProcessCosmos({ dataDirectory: directory })
      cosmos.engine.createDatabase('shop')
      await cosmos.close()
      const again = createInProcessCosmos({ dataDirectory: directory })
      expect(again.engine.databases.map(({ id }) => id)).toEqual(['shop'])
      await again.close()
      expect(readdirSync(directory)).not.toContain('data.unfinished')
      rmSync(directory, { recursive: true })
    }
  })

  it('keeps its finished store despite a mark of an unfinished one', async () => {
    writeFileSync(join(dataDirectory, 'data.unfinished'), '')
    expect(await refusal()).toBeNull()
  })
})
