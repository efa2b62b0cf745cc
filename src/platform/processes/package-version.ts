import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

let version: string | undefined

/** Returns the version of this package. */
export function packageVersion(): string {
  version ??= (JSON.parse(readFileSync(packageFile(), 'utf8')) as { readonly version: string }).version
  return version
}

/** Returns the path of the package's `package.json`. */
export function packageFile(): string {
  return createRequire(import.meta.url).resolve('stepward/package.json')
}
