import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse, type Source, type TextFile } from './source.js'

/** The folder of this checkout. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Returns every file that a commit of this folder would contain, without those that `.gitignore` names. Works
 * without git, as in an archive.
 */
export function readRepository(from = root): readonly TextFile[] {
  const ignored = ignoreRules(readFileSync(`${from}.gitignore`, 'utf8'))
  const files: TextFile[] = []
  const open = ['']
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of readdirSync(`${from}${folder}`, { withFileTypes: true })) {
      if (entry.name === '.git' || ignored(`${folder}${entry.name}`)) continue
      const path = `${folder}${entry.name}`
      if (entry.isDirectory()) open.push(`${path}/`)
      else if (entry.isFile()) files.push({ path, text: readFileSync(`${from}${path}`, 'utf8') })
    }
  }
  return files.sort((one, other) => (one.path < other.path ? -1 : 1))
}

/**
 * Implements the part of the syntax that our .gitignore uses: names, folders of the root (`/dist/`) and
 * endings (`*.log`).
 */
export function ignoreRules(text: string): (path: string) => boolean {
  const rules = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const names = new Set(rules.map((rule) => rule.replace(/\/$/, '')))
  const endings = rules.filter((rule) => rule.startsWith('*.')).map((rule) => rule.slice(1))
  return (path) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    return names.has(`/${path}`) || names.has(name) || endings.some((ending) => name.endsWith(ending))
  }
}

/** Parses the files of code among `files`. */
export function sourcesOf(files: readonly TextFile[]): readonly Source[] {
  return files.filter(({ path }) => /\.[cm]?[jt]s$/.test(path)).map(parse)
}

/** Checks whether a file is shipped or shown to users, unlike tests and the configuration of tools. */
export function isProduct({ path }: TextFile): boolean {
  return /^(lease-store|src|samples)\//.test(path)
}

/** Checks whether a file belongs to the tests. */
export function isTest({ path }: TextFile): boolean {
  return path.startsWith('test/')
}
