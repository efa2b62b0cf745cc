import { pid } from 'node:process'
import type { RootDatabase } from 'lmdb'
import { DirectoryInUse } from './directory-lock.js'

/**
 * Throws {@link DirectoryInUse} if another running process has the environment open.
 *
 * LMDB keeps a table of readers next to its data. Each process has a line in the table and locks this line.
 * The operating system releases the lock when the process ends. This function first reads once to get a line,
 * and only then checks the table. If two processes start at the same moment, at least one of them sees the
 * other.
 */
export function assertOnlyProcess(store: RootDatabase<string, string>, directory: string): void {
  store.get('')
  store.readerCheck()
  const others = readers(store.readerList()).filter((reader) => reader !== pid)
  if (others.length === 0) return
  throw new DirectoryInUse(directory, `process ${[...new Set(others)].join(', ')}`)
}

/** Returns the process ids, which are in the first column below the table's heading. */
function readers(list: string): readonly number[] {
  return [...list.matchAll(/^\s*(\d+)\s/gmu)].map((line) => Number(line[1]))
}
