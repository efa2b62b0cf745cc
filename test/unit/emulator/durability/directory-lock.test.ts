import { existsSync, renameSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { lockDirectory } from '../../../../src/emulator/durability/directory-lock.js'
import { createInProcessCosmos } from '../../../../src/emulator/index.js'
import { scratchDirectory } from '../../../support/scratch-directory.js'

describe('lock of a data directory', () => {
  let directory: string
  const socketFile = (): string => join(directory, 'in-use.sock')

  beforeEach(() => {
    directory = scratchDirectory()
  })

  it('is held by one at a time, whatever the ids of processes are', async () => {
    const lock = await lockDirectory(directory)
    await expect(lockDirectory(directory)).rejects.toThrow(/is in use by another emulator\. Stop that one/u)
    await lock.release()
    expect(existsSync(socketFile())).toBe(false)
    await (await lockDirectory(directory)).release()
  })

  it('goes to the next when its holder was killed and left the socket file behind', async () => {
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(socketFile(), resolve))
    // Closing removes the file by its name, which a killed process does not come to do.
    renameSync(socketFile(), `${socketFile()}.kept`)
    await new Promise((resolve) => holder.close(resolve))
    renameSync(`${socketFile()}.kept`, socketFile())
    const lock = await lockDirectory(directory)
    await expect(lockDirectory(directory)).rejects.toThrow('in use')
    await lock.release()
  })

  it('is taken by an account in process, which gives it free when it closes', async () => {
    const cosmos = createInProcessCosmos({ dataDirectory: directory })
    await cosmos.client().databases.create({ id: 'mine' })
    await expect(lockDirectory(directory)).rejects.toThrow('in use by another emulator')
    await cosmos.close()
    await (await lockDirectory(directory)).release()
  })

  it('keeps an account in process from answering or writing in a directory that is another’s', async () => {
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

  it('makes the directory, and does without where the path is too long for a socket', async () => {
    const long = join(directory, 'x'.repeat(120))
    const lock = await lockDirectory(long)
    expect(existsSync(long)).toBe(true)
    await lock.release()
  })
})
