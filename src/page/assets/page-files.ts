import { readFileSync } from 'node:fs'
import { dirname, extname, join, posix } from 'node:path'
import { packageFile } from '../../platform/internal.js'
import { importMap, moduleText, modulesPath, sharedModulePaths } from './modules.js'

/** A file of the page, as a browser gets it. */
export interface PageFile {
  readonly type: string
  readonly text: string
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The addresses of the views. Each of them is answered with the same HTML. */
const viewPaths: readonly string[] = [
  '/',
  '/inbox',
  '/jobs',
  '/job',
  '/history',
  '/schedules',
  '/limits',
  '/pauses',
  '/fleet',
  '/leases',
  '/audit',
  '/operations',
  '/cost',
  '/tail',
]

/** Matches the paths of the page's files. No such path leads out of the page's folder. */
const filePath = /^\/page\/((?:[a-z-]{1,40}\/)?[a-z-]{1,40}\.(?:css|js|svg))$/u

/** Returns the file at this path, or null if the page has no such file. */
export function pageFile(path: string): PageFile | null {
  if (viewPaths.includes(path)) return { type: 'text/html; charset=utf-8', text: html('index.html') }
  if (path === '/answer') return { type: 'text/html; charset=utf-8', text: html('answer.html') }
  if (path.startsWith(modulesPath)) {
    const text = moduleText(path.slice(modulesPath.length))
    return text === null ? null : { type: types['.js'] ?? '', text }
  }
  const [, name] = filePath.exec(path) ?? []
  if (name === undefined) return null
  try {
    return { type: types[extname(name)] ?? '', text: readFileSync(join(folder(), name), 'utf8') }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

function html(name: string): string {
  const text = readFileSync(join(folder(), name), 'utf8').replace(/\s*IMPORT_MAP\s*/u, importMap)
  const [, main] = /<script type="module" src="\/page\/([a-z-]+\.js)">/u.exec(text) ?? []
  const own = main === undefined ? [] : modulesFrom(main)
  // A browser then asks for all modules at once, and not for those of each module after it has read the module.
  const hints = [...sharedModulePaths, ...own.map((module) => `/page/${module}`)]
    .map((href) => `<link rel="modulepreload" href="${href}" />`)
    .join('')
  return text.replace('<script type="module"', `${hints}<script type="module"`)
}

/** Returns the modules of the page that a module needs, and the module itself. */
function modulesFrom(main: string): readonly string[] {
  const found = new Set([main])
  // A set also passes over the values that are added meanwhile.
  for (const module of found) {
    const text = readFileSync(join(folder(), module), 'utf8')
    for (const [, path = ''] of text.matchAll(/^(?:import |\} from ).*'(\.[^']+\.js)'$/gmu)) {
      found.add(posix.join(posix.dirname(module), path))
    }
  }
  return [...found]
}

/** Returns the folder of the page. No build changes this folder, so the package contains its source. */
function folder(): string {
  return join(dirname(packageFile()), 'src/page/browser')
}
