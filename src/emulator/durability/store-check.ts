import { errorMessage } from '../../platform/internal.js'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { arch, endianness } from 'node:os'
import { join } from 'node:path'
import { DirectoryInUse } from './directory-lock.js'
import { StoredValues } from './journal-contents.js'
import { LmdbFile } from './lmdb-file.js'
import { Damage } from './lmdb-pages.js'
import { isSealed, RecordTotal, sealOf, unsealed } from './record-checksum.js'

/** The version of the layout on disk. A larger number means that newer code wrote the directory. */
export const format = 2

/** The keys of the two values that are not records: the format, and the total that the records must match. */
export const formatKey = 'format'
export const totalKey = 'total'
const besideKeys = [formatKey, totalKey]

const dataFile = 'data.mdb'
const lockFile = 'lock.mdb'
/**
 * Exists while a store is being created, so that an empty data file after an interrupted start does not count
 * as damage.
 */
const unfinishedFile = 'data.unfinished'

/** The size of two meta pages of the smallest page size. */
const smallestFile = 2 * 4096

/**
 * The size of the lock file, which is larger than LMDB's table of readers. All its bytes are written at once,
 * because a page that is allocated only on first use would crash the process if the disk is full.
 */
const lockFileBytes = 16_384

/** The contents of a store in which nothing is missing or altered. */
export interface CheckedStore {
  readonly total: RecordTotal
  readonly values: StoredValues
}

/**
 * Checks and reads everything in a directory before LMDB opens it. Returns null if there is no store yet. If
 * anything is missing or altered, throws an error of one sentence that names the file.
 */
export function checkedStore(directory: string): CheckedStore | null {
  assertReadable(directory)
  const file = join(directory, dataFile)
  const isUnfinished = existsSync(join(directory, unfinishedFile))
  const bytes = existsSync(file) ? statSync(file).size : null
  if (bytes === null && !isUnfinished && existsSync(join(directory, lockFile))) {
    throw damaged(file, 'is missing, although its directory was in use')
  }
  if (bytes === null || (isUnfinished && bytes < smallestFile)) {
    begin(directory)
    return null
  }
  if (bytes === 0) throw damaged(file, 'is empty')
  const store = verified(directory, file)
  if (store === null && !isUnfinished)
    throw damaged(file, 'is damaged (it holds nothing, not even its format)')
  return store
}

/**
 * Removes the file that marks an unfinished store. Call this only after the format and the total are stored.
 */
export function finishStore(directory: string): void {
  rmSync(join(directory, unfinishedFile), { force: true })
}

function begin(directory: string): void {
  const lock = join(directory, lockFile)
  const hasLock = existsSync(lock)
  try {
    writeFileSync(join(directory, unfinishedFile), '', { flush: true })
    rmSync(join(directory, dataFile), { force: true })
    if (!hasLock) writeFileSync(lock, Buffer.alloc(lockFileBytes))
  } catch (error) {
    if (!hasLock) rmSync(lock, { force: true })
    const reason = errorMessage(error)
    throw new Error(
      `The data directory ${directory} cannot be written to (${reason}): make room, or choose another ` +
        'directory.',
      { cause: error },
    )
  }
}

/** Returns the file's records, or null if the file contains nothing at all. */
function verified(directory: string, path: string): CheckedStore | null {
  let file: LmdbFile | null = null
  try {
    file = new LmdbFile(path)
    return recordsOf(directory, file)
  } catch (error) {
    if (!(error instanceof Damage)) throw error
    // If another process writes at the same time, it reuses pages, and this looks like damage.
    if (file?.hasChanged === true) throw new DirectoryInUse(directory)
    throw damaged(path, `is damaged (${error.message})`)
  } finally {
    file?.close()
  }
}

function recordsOf(directory: string, file: LmdbFile): CheckedStore | null {
  const total = new RecordTotal()
  const values = new StoredValues()
  const beside = new Map<string, string>()
  const altered: string[] = []
  file.forEachRecord((key, value) => {
    const name = key.toString()
    const text = value.toString()
    if (besideKeys.includes(name)) {
      beside.set(name, text)
    } else {
      total.add(sealOf(text))
      values.add(name, unsealed(text))
    }
    if (!isSealed(key, value) && name !== formatKey) altered.push(name)
  })
  const found = beside.get(formatKey)
  if (found === undefined && total.records === 0 && beside.size === 0) return null
  if (found !== String(format)) throw otherFormat(directory, found ?? 'none')
  if (altered[0] !== undefined) throw new Damage(`the record ${altered[0]} is altered`)
  const expected = unsealed(beside.get(totalKey) ?? '')
  if (expected === total.text) return { total, values }
  const wanted = expected.split(' ')[0] ?? ''
  throw new Damage(`it holds ${total.records} records, but ${wanted} were written`)
}

function assertReadable(directory: string): void {
  if (endianness() === 'LE' && !['arm', 'ia32'].includes(arch())) return
  throw new Error(
    `The data directory ${directory} needs a 64-bit little-endian machine; on this machine, use no data ` +
      'directory.',
  )
}

function damaged(file: string, what: string): Error {
  return new Error(
    `${file} ${what}: put a back-up of the directory in its place, or choose another directory.`,
  )
}

function otherFormat(directory: string, found: string): Error {
  return new Error(
    `The data directory ${directory} has format ${found.slice(0, 20)}; this version reads format ` +
      `${format}. Use the version that wrote it, or another directory.`,
  )
}
