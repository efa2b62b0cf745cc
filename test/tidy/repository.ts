import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse, type Source, type TextFile } from './source.js'

/** Where this checkout lies. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Every file that a commit of this folder would hold, by default of this checkout: what `.gitignore` names is left out. Works without git, as in an archive. */
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

/** The part of gitignore's language that ours uses: names, folders of the root (`/dist/`) and endings (`*.log`). */
export function ignoreRules(text: string): (path: string) => boolean {
  const rules = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const names = new Set(rules.map((rule) => rule.replace(/\/$/, '')))
  const endings = rules.filter((rule) => rule.startsWith('*.')).map((rule) => rule.slice(1))
  return (path) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    return names.has(`/${path}`) || names.has(name) || endings.some((ending) => name.endsWith(ending))
  }
}

/** The files of code among `files`, parsed. */
export function sourcesOf(files: readonly TextFile[]): readonly Source[] {
  return files.filter(({ path }) => /\.[cm]?[jt]s$/.test(path)).map(parse)
}

/** Whether a file is shipped or shown to users, as opposed to tests and the configuration of tools. */
export function isProduct({ path }: TextFile): boolean {
  return /^(lease-store|src|samples)\//.test(path)
}

/** Whether a file lies in the tests. */
export function isTest({ path }: TextFile): boolean {
  return path.startsWith('test/')
}
