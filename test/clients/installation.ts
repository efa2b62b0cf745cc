import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import type { Client, Command } from './clients.js'

/** Returns the tools of a client that are not on this machine. */
export function missingTools({ tools }: Client): readonly string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return tools.filter((tool) => !folders.some((folder) => existsSync(join(folder, tool))))
}

/**
 * Installs a client into its folder, unless its manifests are those of the last installation. Returns why
 * that failed, or null.
 */
export function install(client: Client, place: string): string | null {
  const stamp = join(place, 'installed.txt')
  const digest = digestOf(client.sources)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return null
  mkdirSync(place, { recursive: true })
  for (const command of client.install(place)) {
    const failure = failureOf(command)
    if (failure !== null) return failure
  }
  writeFileSync(stamp, digest)
  return null
}

function failureOf([program, ...rest]: Command): string | null {
  const { status, stdout, stderr, error } = spawnSync(program, rest, { encoding: 'utf8' })
  if (status === 0) return null
  const said = error === undefined ? `${stdout}${stderr}`.trim().slice(-1_000) : error.message
  return `"${[program, ...rest].join(' ')}" failed: ${said}`
}

function digestOf(sources: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of sources.flatMap(filesIn)) hash.update(path).update(readFileSync(path))
  return hash.digest('hex')
}

function filesIn(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => filesIn(join(path, name)))
}
