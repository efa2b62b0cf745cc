import { dirname, join, normalize } from 'node:path/posix'
import type { TextFile } from './source.js'

/** The parts of package.json that other files rely on. */
export interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly bin: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
  readonly files: readonly string[]
}

/** Targets of `exports` and `bin` that no source would be compiled to. */
export function missingTargets(manifest: Manifest, paths: ReadonlySet<string>): string[] {
  const exported = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [entry] : Object.values(entry),
  )
  return [...exported, ...Object.values(manifest.bin)]
    .map((target) => ({ target, source: sourceOf(target) }))
    .filter(({ source }) => !paths.has(source))
    .map(
      ({ target, source }) =>
        `package.json: ${target} would be compiled from ${source}, which does not exist`,
    )
}

/** `./dist/src/index.d.ts` and `dist/src/index.js` are compiled from `src/index.ts`. */
function sourceOf(target: string): string {
  const path = target.replace(/^\.\//, '')
  return path.startsWith('dist/') ? path.slice('dist/'.length).replace(/(\.d\.ts|\.js)$/, '.ts') : path
}

const builtIn = new Set([
  'ci',
  'install',
  'exec',
  'pack',
  'publish',
  'prune',
  'audit',
  'outdated',
  'update',
  'version',
])

/** Calls of npm scripts that package.json does not have. */
export function missingScripts(file: TextFile, scripts: Manifest['scripts']): string[] {
  const calls = file.text.matchAll(/\bnpm (?:-s |--silent )?(run (?:-s |--silent )?)?([a-z][\w:-]*)/g)
  return [...calls].flatMap(([, run, name]) => {
    if (name === undefined || Object.hasOwn(scripts, name)) return []
    const isScript = run !== undefined || name === 'test' || name === 'start'
    return isScript && !(run === undefined && builtIn.has(name))
      ? [`${file.path}: npm script "${name}" is not in package.json`]
      : []
  })
}

/** Whether `npm pack` takes this file along. */
export function isPacked(path: string, { files }: Pick<Manifest, 'files'>): boolean {
  if (['package.json', 'README.md', 'LICENSE'].includes(path)) return true
  return files.some((entry) => path === entry || path.startsWith(`${entry}/`))
}

/** Links of a page to files beside it that are not there. */
export function deadLinks({ path, text }: TextFile, isThere: (path: string) => boolean): string[] {
  const links = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? '')
  return links
    .filter((target) => !/^\w+:/.test(target))
    .filter((target) => !isThere(normalize(join(dirname(path), target))))
    .map((target) => `${path}: ${target} is not there`)
}

/** Whether a file tells people or machines which commands to run. */
export function isInstruction({ path }: TextFile): boolean {
  return /\.(md|ya?ml|bicep)$/.test(path) || path === '.ci/run' || path === 'package.json'
}

/** Lock file entries tied to one registry: `npm ci` must work against any mirror. */
export function pinnedRegistries(lockFile: TextFile): string[] {
  return lockFile.text
    .split('\n')
    .flatMap((line, index) =>
      /^\s*"resolved":/.test(line) ? [`${lockFile.path}:${index + 1}: names a registry: ${line.trim()}`] : [],
    )
}

/** Folders that people's and build agents' checkouts lie in. App Service's own `/home/site` is a fact of the platform. */
const machineFolders =
  /(?<![\w.~}-])(\/home\/(?!site\b|LogFiles\b)[\w.-]+|\/Users\/[\w.-]+|\/root\/|\/work\/|\/workspaces?\/|[A-Z]:\\+Users\\)/

/** Lines that name a place on somebody's machine. `root` is the place of this checkout. */
export function machinePaths(files: readonly TextFile[], root: string): string[] {
  const here = root.replace(/\/$/, '')
  // A checkout directly below `/` has a name too ordinary to look for.
  const isTelling = here.split('/').length > 2
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const found = machineFolders.exec(line)?.[0] ?? (isTelling && line.includes(here) ? here : null)
      return found === null ? [] : [`${path}:${index + 1}: ${found} is a place on one machine`]
    }),
  )
}
