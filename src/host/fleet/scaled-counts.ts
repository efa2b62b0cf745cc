import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { makeOwn } from './state-directory.js'

/** Instances of each role of a fleet. */
export type Counts = Readonly<Record<string, number>>

const count = z.number().int().nonnegative()
const schema = z.strictObject({
  /** By role: what `scale` set, and what `--instances` said when the fleet was started. */
  scaled: z.record(z.string(), z.strictObject({ instances: count, startedWith: count })),
})

/** What `scale` set, by role, and the number that it replaced. */
export type Scaled = Readonly<z.infer<typeof schema>['scaled']>

/** What `remember` stored last; empty when nothing was, or when it cannot be understood. */
export async function remembered(stateDirectory: string): Promise<Scaled> {
  try {
    return schema.parse(JSON.parse(await readFile(fileIn(stateDirectory), 'utf8'))).scaled
  } catch {
    return {}
  }
}

/** What `scale` set counts as long as the fleet is started by the same number; another number is newer. */
export function stillScaled(scaled: Scaled, given: Counts): Scaled {
  return Object.fromEntries(
    Object.entries(scaled).filter(([role, { startedWith }]) => given[role] === startedWith),
  )
}

/** Stores it, all or nothing: a reader never finds half a file, and no link in its place is followed. */
export async function remember(stateDirectory: string, scaled: Scaled): Promise<void> {
  await makeOwn(stateDirectory)
  const file = fileIn(stateDirectory)
  await rm(`${file}.new`, { force: true })
  await writeFile(`${file}.new`, JSON.stringify({ scaled }), { mode: 0o600, flag: 'wx' })
  await rename(`${file}.new`, file)
}

/** Deletes the file: a fleet that was stopped on purpose is started with the number of its command. */
export async function forget(stateDirectory: string): Promise<void> {
  await rm(fileIn(stateDirectory), { force: true })
}

function fileIn(stateDirectory: string): string {
  return join(stateDirectory, 'fleet.json')
}
