import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a directory and its missing parents. Throws the error of the first directory that cannot be
 * created. Node's own recursive `mkdir` never ends if a file system creates nothing and reports ENOENT, as
 * `/proc` does.
 */
export function createDirectory(directory: string, mode = 0o777): void {
  if (isDirectory(directory)) return
  const parent = dirname(directory)
  if (parent !== directory) createDirectory(parent, mode)
  try {
    mkdirSync(directory, { mode })
  } catch (error) {
    // Another process may have created the directory meanwhile.
    if (!isDirectory(directory)) throw error
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
