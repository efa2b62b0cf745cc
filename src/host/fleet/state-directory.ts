import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'

const rememberedSchema = z.strictObject({ instances: z.record(z.string(), z.number().int().nonnegative()) })

/** Instances of each role of a fleet. */
export type Counts = Readonly<Record<string, number>>

/**
 * Where the fleet that was started in `directory` keeps what it must remember, and listens: a folder of this user's below
 * the temporary directory, since the application's own may be read-only.
 */
export function stateDirectoryOf(given: string | undefined, directory: string): string {
  if (given !== undefined) return resolve(given)
  const place = createHash('sha256').update(resolve(directory)).digest('hex').slice(0, 12)
  return join(tmpdir(), `stepward-${userInfo().username}-${place}`)
}

/** Where a fleet of this state directory listens. */
export function socketPath(stateDirectory: string): string {
  if (process.platform !== 'win32') return join(stateDirectory, 'fleet.sock')
  const name = createHash('sha256').update(stateDirectory).digest('hex').slice(0, 16)
  return `\\\\.\\pipe\\stepward-${name}`
}

/** What `remember` stored last; empty when nothing was, or when it cannot be understood. */
export async function remembered(stateDirectory: string): Promise<Counts> {
  try {
    const text = await readFile(fileIn(stateDirectory), 'utf8')
    return rememberedSchema.parse(JSON.parse(text)).instances
  } catch {
    return {}
  }
}

/** Stores the counts, all or nothing: a reader never finds half a file. */
export async function remember(stateDirectory: string, instances: Counts): Promise<void> {
  await mkdir(stateDirectory, { recursive: true, mode: 0o700 })
  const file = fileIn(stateDirectory)
  await writeFile(`${file}.new`, JSON.stringify({ instances }), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** A fleet that was stopped on purpose begins anew. */
export async function forget(stateDirectory: string): Promise<void> {
  await rm(fileIn(stateDirectory), { force: true })
}

function fileIn(stateDirectory: string): string {
  return join(stateDirectory, 'fleet.json')
}
