import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { isAnswered, lastHolder, lockDirectory } from '../../../../src/emulator/durability/directory-lock.js'
import { createInProcessCosmos } from '../../../../src/emulator/index.js'
import { scratchDirectory } from '../../../support/scratch-directory.js'

describe('the lock of a data directory', () => {
  let directory: string
  const socketFile = (): string => join(directory, 'in-use.sock')

  beforeEach(() => {
    directory = scratchDirectory()
  })

  it('has one holder at a time', async () => {
    const lock = await lockDirectory(directory)
    await expect(lockDirectory(directory)).rejects.toThrow(/is in use by another emulator\. Stop that one/u)
    await lock.release()
    expect(existsSync(socketFile())).toBe(false)
    await (await lockDirectory(directory)).release()
  })

  it('tells which process has it, while a process has it', async () => {
    expect(lastHolder(directory)).toBeNull()
    const lock = await lockDirectory(directory)
    expect(lastHolder(directory)).toBe(process.pid)
    await lock.release()
    expect(lastHolder(directory)).toBeNull()
    writeFileSync(join(directory, 'in-use.pid'), 'damaged')
    expect(lastHolder(directory)).toBeNull()
  })

  it('is free after its holder was killed, although the socket file remains', async () => {
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(socketFile(), resolve))
    // Closing removes the file by its name, which a killed process does not do.
    renameSync(socketFile(), `${socketFile()}.kept`)
    await new Promise((resolve) => holder.close(resolve))
    renameSync(`${socketFile()}.kept`, socketFile())
    const lock = await lockDirectory(directory)
    await expect(lockDirectory(directory)).rejects.toThrow('in use')
    await lock.release()
  })

  it('is held by an in-process account until it closes', async () => {
    const cosmos = createInProcessCosmos({ dataDirectory: directory })
    await cosmos.client().databases.create({ id: 'mine' })
    await expect(lockDirectory(directory)).rejects.toThrow('in use by another emulator')
    await cosmos.close()
    await (await lockDirectory(directory)).release()
  })

  it('prevents answers and writes of an account in a directory that another one uses', async () => {
    const lock = await lockDirectory(directory)
    const cosmos = createInProcessCosmos({ dataDirectory: directory })
    cosmos.engine.createDatabase('lost')
    await expect(cosmos.engine.settled()).rejects.toThrow('in use by another emulator')
    await expect(cosmos.client().databases.readAll().fetchAll()).rejects.toThrow('in use by another emulator')
    await expect(cosmos.close()).rejects.toThrow('in use by another emulator')
    await lock.release()
    const next = createInProcessCosmos({ dataDirectory: directory })
    expect(next.engine.databases).toEqual([])
    await next.close()
  })

  it('leaves the socket of an emulator that opens the directory at the same moment', async () => {
    const first = createInProcessCosmos({ dataDirectory: directory })
    expect(() => createInProcessCosmos({ dataDirectory: directory })).toThrow(
      'is open in this process already',
    )
    await first.engine.settled()
    for (let looks = 0; looks < 5; looks += 1) expect(await isAnswered(socketFile())).toBe(true)
    await first.close()
  })

  it('has one holder if many take it at the same moment, and its socket stays', async () => {
    const taking = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(directory)))
    const taken = taking.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(taken).toHaveLength(1)
    expect(await isAnswered(socketFile())).toBe(true)
    await taken[0]?.release()
    expect(readdirSync(directory)).toEqual([])
  })

  it('creates the directory, and does nothing if the path is too long for a socket', async () => {
    const long = join(directory, 'x'.repeat(120))
    const lock = await lockDirectory(long)
    expect(existsSync(long)).toBe(true)
    await lock.release()
  })
})
