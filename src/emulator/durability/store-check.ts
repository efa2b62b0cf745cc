import { errorMessage } from '../../platform/internal.js'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { arch, endianness } from 'node:os'
import { join } from 'node:path'
import { DirectoryInUse } from './directory-lock.js'
import { LmdbFile } from './lmdb-file.js'
import { Damage } from './lmdb-pages.js'
import { isSealed, RecordTotal, sealIn, unsealed } from './record-checksum.js'

/** The version of the layout on disk. A larger number means that newer code wrote the directory. */
export const format = 8

/**
 * The versions that this code reads. Format 7 has no summaries of chapters, and format 4 none of blocks, which older code
 * would not remove. Format 6 has no log. Format 5 has no shortened texts. Formats 2 and 3 have no records that find
 * documents, and in format 2, the records of documents have another form.
 */
const readableFormats = ['2', '3', '4', '5', '6', '7', '8']

/** The largest file that a start reads as a whole. Of a larger one, it reads the structure. */
const largestWhole = 256 * 2 ** 20

/**
 * The keys of the values that are not records: the format, the total that the records must match, and the logs that the
 * store needs.
 */
export const formatKey = 'format'
export const totalKey = 'total'
export const logKey = 'log'
const besideKeys = [formatKey, totalKey, logKey]

export const dataFile = 'data.mdb'
const lockFile = 'lock.mdb'
/**
 * Exists while a store is being created, so that an empty data file after an interrupted start does not count
 * as damage.
 */
const unfinishedFile = 'data.unfinished'

/** The size of a page of a new store. Documents of 1 to 2 KB waste much of pages of 4 KB. */
export const newPageBytes = 8_192

/** The size of the two meta pages of a new store. */
const smallestFile = 2 * newPageBytes

/**
 * The size of the lock file, which is larger than LMDB's table of readers. All its bytes are written at once,
 * because a page that is allocated only on first use would crash the process if the disk is full.
 */
const lockFileBytes = 16_384

/**
 * Checks a directory before LMDB opens it, and returns its format, or null if there is no store yet. If anything
 * is missing or altered, throws an error of one sentence that names the file.
 *
 * @param most the bytes of the largest file of which each record is read, unless its format is an older one
 */
export function checkedFormat(directory: string, most = largestWhole): string | null {
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
  const found = verified(directory, file, bytes <= most)
  if (found === null && !isUnfinished)
    throw damaged(file, 'is damaged (it holds nothing, not even its format)')
  return found
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

/** Returns the file's format, or null if the file contains nothing at all. */
function verified(directory: string, path: string, isSmall: boolean): string | null {
  let file: LmdbFile | null = null
  try {
    file = new LmdbFile(path)
    const found = file.valueAt(formatKey)?.toString()
    if (isSmall || found !== String(format)) return wholeFormat(directory, file)
    file.checkStructure()
    return found
  } catch (error) {
    if (!(error instanceof Damage)) throw error
    // If another process writes at the same time, it reuses pages, and this looks like damage.
    if (file?.hasChanged === true) throw new DirectoryInUse(directory)
    throw damaged(path, `is damaged (${error.message})`)
  } finally {
    file?.close()
  }
}

/** Reads every record. */
function wholeFormat(directory: string, file: LmdbFile): string | null {
  const total = new RecordTotal()
  const beside = new Map<string, string>()
  const altered: string[] = []
  file.forEachRecord((key, value) => {
    const name = key.toString()
    if (besideKeys.includes(name)) beside.set(name, value.toString())
    else total.add(sealIn(value))
    if (!isSealed(key, value) && name !== formatKey) altered.push(name)
  })
  const found = beside.get(formatKey)
  if (found === undefined && total.records === 0 && beside.size === 0) return null
  if (found === undefined || !readableFormats.includes(found)) throw otherFormat(directory, found ?? 'none')
  if (altered[0] !== undefined) throw new Damage(`the record ${altered[0]} is altered`)
  const expected = unsealed(beside.get(totalKey) ?? '')
  if (expected === total.text) return found
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

export function damaged(file: string, what: string): Error {
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
