import { expect, it } from 'vitest'
import { createInProcessCosmos } from '../../../src/emulator/index.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

it('a read while a data directory is being closed fails, and does not end the process later', async () => {
  const cosmos = createInProcessCosmos({ dataDirectory: scratchDirectory(), memoryBytes: 1 })
  cosmos.engine.createDatabase('d')
  cosmos.engine.createContainer('d', { id: 'c', partitionKey: { paths: ['/pk'] } })
  const container = cosmos.engine.container('d', 'c')
  const ids = Array.from({ length: 100 }, (_, number) => String(number))
  for (const id of ids) {
    const document = { id, pk: 'k', text: 'x'.repeat(1_000) }
    container.batch(['k'], [{ kind: 'upsert', document }])
  }
  await container.journal.applied()
  const read = (): void => {
    // The documents of the read before leave memory.
    container.purgeExpired()
    for (const id of ids) container.find(['k'], id)
  }
  const failures = new Set<string>()
  let isClosed = false
  const closing = cosmos.close().then(() => (isClosed = true))
  do {
    await new Promise((resolve) => setImmediate(resolve))
    try {
      read()
    } catch (error) {
      failures.add(String(error))
    }
  } while (!isClosed)
  await closing
  // LMDB would fail such a read with another error, and throw again in a later turn of the event loop.
  expect([...failures]).toEqual(['Error: the data directory is closed'])
})
