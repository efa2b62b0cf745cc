import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Creates a directory that is removed after the test. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'stepward-'))
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true })
  })
  return directory
}
