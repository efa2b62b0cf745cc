import { once } from 'node:events'
import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { withSettings } from '../../../src/cli/input/store.js'
import { lockDirectory } from '../../../src/emulator/durability/directory-lock.js'
import { LmdbJournal } from '../../../src/emulator/durability/lmdb-journal.js'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { openInProcessCosmos } from '../../../src/emulator/doors/in-process-cosmos.js'
import { systemClock } from '../../../src/platform/index.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

it('a program that opens a directory works although a command has its turn for a moment', async () => {
  const directory = scratchDirectory()
  const turn = join(directory, 'in-use.turn')
  // A command has its turn (see `beginTurn`), and finds in a moment that this program has the store open.
  writeFileSync(turn, '')
  const cosmos = createInProcessCosmos({ dataDirectory: directory })
  onTestFinished(() => cosmos.close().catch(() => undefined))
  rmSync(turn)
  await cosmos.client().databases.create({ id: 'mine' })
  expect(cosmos.engine.databases).toHaveLength(1)
})

it('of a program and a command that open a directory at the same moment, one has it', async () => {
  const dataDirectory = scratchDirectory()
  const command = openInProcessCosmos({ dataDirectory })
  const program = createInProcessCosmos({ dataDirectory })
  onTestFinished(async () => {
    await program.close().catch(() => undefined)
    await (await command.catch(() => null))?.close()
  })
  const results = await Promise.allSettled([command, program.client().databases.create({ id: 'mine' })])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

it('a turn of a process that was killed ends although the clock was corrected meanwhile', async () => {
  const directory = scratchDirectory()
  const turn = join(directory, 'in-use.turn')
  writeFileSync(turn, '')
  // The clock was an hour fast when the process was killed.
  const later = new Date(systemClock.now() + 3_600_000)
  utimesSync(turn, later, later)
  await (await lockDirectory(directory)).release()
})

it('a command waits until the turn of a process that was killed in it is old', async () => {
  const directory = scratchDirectory()
  const turn = join(directory, 'in-use.turn')
  writeFileSync(turn, '')
  const before = new Date(systemClock.now() - 4_800)
  utimesSync(turn, before, before)
  await expect(withSettings({ data: directory }, async () => 'done')).resolves.toBe('done')
})

it('a journal that cannot be opened leaves no socket and no turn', async () => {
  const directory = scratchDirectory()
  onTestFinished(() => void vi.restoreAllMocks())
  vi.spyOn(LmdbJournal, 'open').mockImplementationOnce(() => {
    throw new Error('damaged')
  })
  await expect(openInProcessCosmos({ dataDirectory: directory })).rejects.toThrow('damaged')
  expect(readdirSync(directory)).toEqual([])
  const cosmos = await openInProcessCosmos({ dataDirectory: directory })
  await cosmos.close()
})

it('a lock is released although a process keeps its side of a connection open', async () => {
  const directory = scratchDirectory()
  const lock = await lockDirectory(directory)
  // A process that is frozen while it checks whether the store is open does not end its side of the connection.
  const frozen = connect({ path: join(directory, 'in-use.sock'), allowHalfOpen: true })
  await once(frozen, 'end', { signal: AbortSignal.timeout(10_000) }).catch(() => undefined)
  await lock.release()
  frozen.destroy()
})
