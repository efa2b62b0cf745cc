import { open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createDirectory } from '../../platform/internal.js'
import { optional, readOptions, wholeNumber } from '../../platform/options.js'
import { hashOf } from '../plan/payload.js'
import {
  defaultLargerThan,
  largerThanRange,
  type PayloadOwner,
  type PayloadStore,
  type StoredPayload,
} from './payload-store.js'

/** The kind of the option that every payload store has. */
export const largerThanOption = optional(
  wholeNumber(largerThanRange.min, largerThanRange.max),
  defaultLargerThan,
)

/** The longest first line of a file: a key and a job id of 200 characters each, with escapes. */
const maxHeadBytes = 8_192

/**
 * Stores payloads in a folder of this machine, or of a file share that all processes mount. Each job has a
 * folder, whose name is a hash. The first line of a file names the job, and the rest is packed JSON.
 *
 * @param options `largerThan`: values of more bytes of JSON go to the folder, 2,048 to 1,000,000. Default
 *   65,536
 * @throws TypeError if an option is invalid
 */
export function folder(path: string, options: { readonly largerThan?: number } = {}): PayloadStore {
  const { values, problems } = readOptions({ largerThan: largerThanOption }, options)
  const rule = typeof path === 'string' && path !== '' ? [] : ['folder needs the path of a folder']
  if (problems.length + rule.length > 0) throw new TypeError([...problems, ...rule].join('; '))
  const folderOf = ({ partitionKey, jobId }: PayloadOwner): string =>
    join(path, hashOf(JSON.stringify([partitionKey, jobId])))
  return {
    largerThan: values.largerThan,
    put: async (owner, id, content) => {
      const head = `${JSON.stringify([owner.partitionKey, owner.jobId])}\n`
      createDirectory(folderOf(owner))
      await writeDurably(join(folderOf(owner), id), Buffer.concat([Buffer.from(head), content]))
    },
    get: async (owner, id, signal) => {
      const options = signal === undefined ? {} : { signal }
      const file = await orNull(readFile(join(folderOf(owner), id), options))
      return file === null ? null : file.subarray(file.indexOf(lineEnd) + 1)
    },
    list: () => listed(path),
    remove: async (payload) => {
      await rm(join(folderOf(payload), payload.id), { force: true })
      // The folder stays while it has other payloads.
      await rmdir(folderOf(payload)).catch(() => undefined)
    },
  }
}

const lineEnd = 0x0a

/** Writes a file whose content is on disk before the file has its name. */
async function writeDurably(path: string, content: Uint8Array): Promise<void> {
  const unfinished = `${path}.part`
  const file = await open(unfinished, 'w')
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
}

async function* listed(path: string): AsyncGenerator<StoredPayload, void, undefined> {
  for (const name of (await orNull(readdir(path))) ?? []) {
    for (const id of (await orNull(readdir(join(path, name)))) ?? []) {
      const file = join(path, name, id)
      const owner = await ownerOf(file)
      const found = await orNull(stat(file))
      // A file that is only partly written may have no first line yet. It is found by a later listing.
      if (owner !== null && found !== null) yield { ...owner, id, writtenAtMs: found.mtimeMs }
    }
  }
}

async function ownerOf(path: string): Promise<PayloadOwner | null> {
  const file = await orNull(open(path, 'r'))
  if (file === null) return null
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeadBytes), 0, maxHeadBytes, 0)
    const end = buffer.subarray(0, bytesRead).indexOf(lineEnd)
    if (end < 0) return null
    const [partitionKey, jobId] = JSON.parse(buffer.toString('utf8', 0, end)) as [string, string]
    return { partitionKey, jobId }
  } finally {
    await file.close()
  }
}

/** Returns null if the file does not exist, or the folder was removed meanwhile. */
async function orNull<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}
