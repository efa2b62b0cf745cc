import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'

/** A file of the page, as a browser gets it. */
export interface PageFile {
  readonly contentType: string
  readonly text: string
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Matches names of the page's files. No such name leads out of the page's folder, or is too long for a file.
 */
const fileName = /^(?:[a-z-]{1,40}\/)?[a-z-]{1,40}\.(?:css|html|js|svg)$/u

/** Reads a file of the page. Resolves with null if the page has no such file. */
export async function readPageFile(name: string): Promise<PageFile | null> {
  if (!fileName.test(name)) return null
  try {
    const text = await readFile(join(pageFolder(), name), 'utf8')
    return { contentType: contentTypes[extname(name)] ?? 'text/plain', text }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Returns the folder of the page. No build changes this folder, so the package contains its source. */
function pageFolder(): string {
  const manifest = createRequire(import.meta.url).resolve('stepward/package.json')
  return join(dirname(manifest), 'src/emulator/explorer/page')
}
