import { readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { packageFile } from '../../platform/internal.js'
import { importMap, moduleText, modulesPath } from './modules.js'

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
  return readFileSync(join(folder(), name), 'utf8').replace(/\s*IMPORT_MAP\s*/u, importMap)
}

/** Returns the folder of the page. No build changes this folder, so the package contains its source. */
function folder(): string {
  return join(dirname(packageFile()), 'src/page/browser')
}
