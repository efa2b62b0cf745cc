import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { makeOwn } from './state-directory.js'

export type Counts = Readonly<Record<string, number>>

const count = z.number().int().nonnegative()
const schema = z.strictObject({
  /** `startedWith` is the number of `--instances` at the start; `scale` replaced it with `instances`. */
  scaled: z.record(z.string(), z.strictObject({ instances: count, startedWith: count })),
})

export type Scaled = Readonly<z.infer<typeof schema>['scaled']>

/** Returns the counts that `remember` stored last, or none if the file is missing or invalid. */
export async function remembered(stateDirectory: string): Promise<Scaled> {
  try {
    return schema.parse(JSON.parse(await readFile(fileIn(stateDirectory), 'utf8'))).scaled
  } catch {
    return {}
  }
}

/**
 * Returns the scaled counts that are still valid. If a role is started with a different number than before,
 * that number is the user's newer decision.
 */
export function stillScaled(scaled: Scaled, given: Counts): Scaled {
  return Object.fromEntries(
    Object.entries(scaled).filter(([role, { startedWith }]) => given[role] === startedWith),
  )
}

/**
 * Stores the counts atomically, so that a reader never finds half a file. Does not follow a symbolic link.
 */
export async function remember(stateDirectory: string, scaled: Scaled): Promise<void> {
  await makeOwn(stateDirectory)
  const file = fileIn(stateDirectory)
  await rm(`${file}.new`, { force: true })
  await writeFile(`${file}.new`, JSON.stringify({ scaled }), { mode: 0o600, flag: 'wx' })
  await rename(`${file}.new`, file)
}

/**
 * Deletes the file, so that the next fleet starts with the number on its command line. Must be called when a
 * fleet is stopped on purpose.
 */
export async function forget(stateDirectory: string): Promise<void> {
  await rm(fileIn(stateDirectory), { force: true })
}

function fileIn(stateDirectory: string): string {
  return join(stateDirectory, 'fleet.json')
}
