import { errorMessage } from '../../platform/internal.js'

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory; name a file',
  EACCES: 'this account may not read it',
}

/** Says in a few words why a file could not be read. */
export function fileTrouble(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons[code] ?? errorMessage(error)
}
