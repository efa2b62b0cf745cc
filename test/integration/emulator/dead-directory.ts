import { createHash } from 'node:crypto'
import { cpSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import type { Clock } from '../../../src/platform/index.js'
import type { ChangeHistory } from '../../../src/emulator/engine/changes/change-history.js'
import { epkOf, scan, type Container, type VersionChange } from '../../../src/emulator/engine/index.js'
import type { PhysicalPartition } from '../../../src/emulator/engine/partitions/physical-partition.js'
import { open as openStore } from 'lmdb'
import { vi } from 'vitest'
import { GroupWriter } from '../../../src/emulator/durability/group-writer.js'
import { scratchDirectory } from '../../support/scratch-directory.js'

const logs = /^writes-\d+\.log$/u

export function logsIn(directory: string): string[] {
  return readdirSync(directory).filter((name) => logs.test(name))
}

/** Returns the bytes of the groups in a log, without the zeros after them. */
export function groupsIn(log: string): Buffer {
  const bytes = readFileSync(log)
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end -= 1
  return bytes.subarray(0, end)
}

/** Copies what is on disk when the process dies. */
export function snapshot(directory: string): string {
  const copy = scratchDirectory()
  for (const name of ['data.mdb', ...logsIn(directory)]) cpSync(join(directory, name), join(copy, name))
  return copy
}

export function openDirectory(dataDirectory: string, clock?: Clock): InProcessCosmos {
  const time = clock === undefined ? {} : { clock }
  return createInProcessCosmos({ dataDirectory, memoryBytes: 0, partitionCount: 2, ...time })
}

/** A hash of everything that a client can learn of a store. */
export function everything({ engine }: InProcessCosmos): string {
  const containers = engine.databases
    .flatMap((database) => [...database.containersById.values()])
    .sort((one, other) => one.id.localeCompare(other.id))
  const shown = JSON.stringify(
    containers.map((container) => ({
      link: container.link,
      definition: container.definition.body,
      count: container.documentCount,
      bytes: container.documentBytes,
      numbers: container.lastDocumentNumber,
      documents: [...scan(container)].map((version) => version.toJSON()),
      feeds: container.partitions.map(({ id, lsn, changes }) => [
        id,
        lsn,
        [...changes.after(0)].map((version) => [version.id, version.sequence]),
      ]),
      history: container.partitions.map((partition) => changesOf(container.history, partition)),
    })),
  )
  const { users, permissions, offers } = engine
  // A start reads these in the order of their rids, which are random.
  const named = [
    ...offers.all,
    ...engine.databases.flatMap(({ rid }) => users.of(rid)),
    ...engine.databases.flatMap(({ rid }) => users.of(rid).flatMap((user) => permissions.of(user.rid))),
  ]
    .map((record) => JSON.stringify(record))
    .sort()
  return createHash('sha256').update(shown).update(JSON.stringify(named)).digest('hex')
}

/** After a merge, transactions of different keys may share an LSN and a place. Then their order is free. */
function changesOf(history: ChangeHistory | null, partition: PhysicalPartition): readonly VersionChange[] {
  const changes = [...(history?.after(partition, 0) ?? [])]
  return changes.sort((a, b) => a.lsn - b.lsn || a.place - b.place || (epkOf(a) < epkOf(b) ? -1 : 1))
}

/** Opens a directory, and closes it again, which also moves its logs to the store. */
export async function shownAfterStart(directory: string, clock?: Clock): Promise<string> {
  const cosmos = openDirectory(directory, clock)
  try {
    return everything(cosmos)
  } finally {
    await cosmos.close()
  }
}

type Write = GroupWriter['write']

/** Returns the keys of a closed directory that belong to containers that do not exist any more. */
export async function leftovers(directory: string): Promise<readonly string[]> {
  const store = openStore<string, string>({ path: directory, encoding: 'string' })
  const keys = [...store.getKeys()]
  await store.close()
  const existing = new Set(keys.filter((key) => key.startsWith('container/')).map((key) => key.split('/')[1]))
  const inContainers = /^(?:document|by-id|by-lsn|by-expiry|summary|chapter|template|partition|history)\//u
  return keys.filter((key) => inContainers.test(key) && !existing.has(key.split('/')[1]))
}

/** Calls `instead` in place of each transaction of the store, until mocks are restored. */
export function intercept(
  instead: (write: () => Promise<void>, given: Parameters<Write>) => Promise<void>,
): void {
  const original = Reflect.get(GroupWriter.prototype, 'write')
  vi.spyOn(GroupWriter.prototype, 'write').mockImplementation(function (this: GroupWriter, ...given) {
    return instead(() => original.apply(this, given), given)
  })
}

/** Whether a transaction writes documents. */
export function hasDocuments([{ entries }]: Parameters<Write>): boolean {
  return [...entries.keys()].some((key) => key.startsWith('document/'))
}

/** Creates a container with the id `c`. */
export function shopIn({ engine }: InProcessCosmos, settings: object = {}): Container {
  engine.createDatabase('shop')
  return engine.createContainer('shop', { id: 'c', partitionKey: { paths: ['/pk'] }, ...settings })
}

export function put(container: Container, id: string, text = ''): void {
  container.execute(['k'], { kind: 'upsert', document: { id, pk: 'k', text } })
}
