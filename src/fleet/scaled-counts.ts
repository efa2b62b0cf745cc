import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { makeOwn } from './state-directory.js'

/** Instances of each role of a fleet. */
export type Counts = Readonly<Record<string, number>>

const count = z.number().int().nonnegative()
const schema = z.strictObject({
  /** By role: the number that `scale` set, and the number of `--instances` at the start of the fleet. */
  scaled: z.record(z.string(), z.strictObject({ instances: count, startedWith: count })),
})

/** By role, the number that `scale` set and the number that it replaced. */
export type Scaled = Readonly<z.infer<typeof schema>['scaled']>

/** Returns the counts that `remember` stored last; empty if there are none, or if the file is invalid. */
export async function remembered(stateDirectory: string): Promise<Scaled> {
  try {
    return schema.parse(JSON.parse(await readFile(fileIn(stateDirectory), 'utf8'))).scaled
  } catch {
    return {}
  }
}

/**
 * Returns the scaled counts of roles that are started with the same number as before. Another number is a
 * newer decision.
 */
export function stillScaled(scaled: Scaled, given: Counts): Scaled {
  return Object.fromEntries(
    Object.entries(scaled).filter(([role, { startedWith }]) => given[role] === startedWith),
  )
}

/**
 * Stores the counts atomically: a reader never finds half a file. Does not follow a link in place of the
 * file.
 */
export async function remember(stateDirectory: string, scaled: Scaled): Promise<void> {
  await makeOwn(stateDirectory)
  const file = fileIn(stateDirectory)
  await rm(`${file}.new`, { force: true })
  await writeFile(`${file}.new`, JSON.stringify({ scaled }), { mode: 0o600, flag: 'wx' })
  await rename(`${file}.new`, file)
}

/** Deletes the file, so that a fleet that was stopped on purpose starts with the number of its command. */
export async function forget(stateDirectory: string): Promise<void> {
  await rm(fileIn(stateDirectory), { force: true })
}

function fileIn(stateDirectory: string): string {
  return join(stateDirectory, 'fleet.json')
}
