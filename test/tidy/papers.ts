import { dirname, join, normalize } from 'node:path/posix'
import type { TextFile } from './source.js'

/** The parts of package.json that other files rely on. */
export interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly bin: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
  readonly files: readonly string[]
}

/** Returns the targets of `exports` and `bin` that have no source. */
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

/** Returns calls of npm scripts that package.json does not define. */
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

/** Checks whether `npm pack` includes this file. */
export function isPacked(path: string, { files }: Pick<Manifest, 'files'>): boolean {
  if (['package.json', 'README.md', 'LICENSE'].includes(path)) return true
  return files.some((entry) => path === entry || path.startsWith(`${entry}/`))
}

/** Returns the relative links of a page whose targets do not exist. */
export function deadLinks({ path, text }: TextFile, isThere: (path: string) => boolean): string[] {
  const links = [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? '')
  return links
    .filter((target) => !/^\w+:/.test(target))
    .filter((target) => !isThere(normalize(join(dirname(path), target))))
    .map((target) => `${path}: ${target} is not there`)
}

/** Checks whether a file tells people or machines which commands to run. */
export function isInstruction({ path }: TextFile): boolean {
  return /\.(md|ya?ml|bicep)$/.test(path) || path === '.ci/run' || path === 'package.json'
}

/** Returns the lines of a lock file that name a registry. `npm ci` must work with any mirror. */
export function pinnedRegistries(lockFile: TextFile): string[] {
  return lockFile.text
    .split('\n')
    .flatMap((line, index) =>
      /^\s*"resolved":/.test(line) ? [`${lockFile.path}:${index + 1}: names a registry: ${line.trim()}`] : [],
    )
}

/** Folders in which people and build agents keep checkouts. `/home/site` belongs to App Service. */
const machineFolders =
  /(?<![\w.~}-])(\/home\/(?!site\b|LogFiles\b)[\w.-]+|\/Users\/[\w.-]+|\/root\/|\/work\/|\/workspaces?\/|[A-Z]:\\+Users\\)/

/** Returns the lines that contain a path of one machine. `root` is the path of this checkout. */
export function machinePaths(files: readonly TextFile[], root: string): string[] {
  const here = root.replace(/\/$/, '')
  // The name of a folder directly below `/` is too common to search for.
  const isTelling = here.split('/').length > 2
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const found = machineFolders.exec(line)?.[0] ?? (isTelling && line.includes(here) ? here : null)
      return found === null ? [] : [`${path}:${index + 1}: ${found} is a place on one machine`]
    }),
  )
}
