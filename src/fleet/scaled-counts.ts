import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { makeOwn } from './state-directory.js'

/** The number of instances of each role of a fleet. */
export type Counts = Readonly<Record<string, number>>

const count = z.number().int().nonnegative()
const schema = z.strictObject({
  /**
   * For each role: the number that `scale` set, and the number of `--instances` at the start of the fleet.
   */
  scaled: z.record(z.string(), z.strictObject({ instances: count, startedWith: count })),
})

/** For each role, the number that `scale` set and the number that this replaced. */
export type Scaled = Readonly<z.infer<typeof schema>['scaled']>

/** Returns the counts that `remember` stored last. Returns no counts if the file is missing or invalid. */
export async function remembered(stateDirectory: string): Promise<Scaled> {
  try {
    return schema.parse(JSON.parse(await readFile(fileIn(stateDirectory), 'utf8'))).scaled
  } catch {
    return {}
  }
}

/**
 * Returns the scaled counts that are still valid. A count is valid if the role is started with the same
 * number as before, because another number is a newer decision of the user.
 */
export function stillScaled(scaled: Scaled, given: Counts): Scaled {
  return Object.fromEntries(
    Object.entries(scaled).filter(([role, { startedWith }]) => given[role] === startedWith),
  )
}

/**
 * Stores the counts atomically, so that a reader never finds half a file. If there is a link in place of the
 * file, does not follow the link.
 */
export async function remember(stateDirectory: string, scaled: Scaled): Promise<void> {
  await makeOwn(stateDirectory)
  const file = fileIn(stateDirectory)
  await rm(`${file}.new`, { force: true })
  await writeFile(`${file}.new`, JSON.stringify({ scaled }), { mode: 0o600, flag: 'wx' })
  await rename(`${file}.new`, file)
}

/**
 * Deletes the file. After a fleet was stopped on purpose, the next fleet then starts with the number on its
 * command line.
 */
export async function forget(stateDirectory: string): Promise<void> {
  await rm(fileIn(stateDirectory), { force: true })
}

function fileIn(stateDirectory: string): string {
  return join(stateDirectory, 'fleet.json')
}
