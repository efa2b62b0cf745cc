import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'

/** A build of an earlier commit. */
export interface OlderBuild {
  readonly commit: string
  /** The URL of its main module. */
  readonly main: string
  /** The newest version of documents that it reads. */
  readonly schemaVersion: number
}

/** Compiles a commit into a folder of its own, with the dependencies of this checkout. */
export async function olderBuild(root: string, name: string): Promise<OlderBuild> {
  const run = (command: string, args: readonly string[], cwd = root): string =>
    execFileSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1e9 })
  const commit = run('git', ['rev-parse', '--short=8', `${name}^{commit}`]).trim()
  const folder = join(root, '.stepward', 'older', commit)
  const main = join(folder, 'dist', 'src', 'index.js')
  if (!existsSync(main)) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const archive = join(folder, 'archive.tar')
    run('git', [
      'archive',
      '--output',
      archive,
      commit,
      'src',
      'lease-store',
      'samples',
      'package.json',
      'tsconfig.json',
      'tsconfig.build.json',
    ])
    run('tar', ['-xf', archive, '-C', folder])
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    // The code was checked when it was committed, and the types of dependencies may have changed since.
    run(
      process.execPath,
      [compiler, '-p', 'tsconfig.build.json', '--noCheck', '--declaration', 'false'],
      folder,
    )
  }
  const documents = pathToFileURL(join(folder, 'dist', 'src', 'sas', 'model', 'documents.js')).href
  const { schemaVersion } = (await import(documents)) as { readonly schemaVersion: number }
  return { commit, main: pathToFileURL(main).href, schemaVersion }
}
