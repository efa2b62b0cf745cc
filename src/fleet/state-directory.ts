import { createHash } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { ConfigurationInvalid } from '../connection/index.js'
import { createDirectory, errorMessage } from '../platform/internal.js'
import { isAnswered } from './control.js'

/**
 * Returns the folder of the socket and the state of a fleet that was started in `directory`. The folder
 * is in `XDG_RUNTIME_DIR` or the temporary directory, because the application's own folder may be read-only.
 * A login and a service may have different environment variables, so a folder in which a fleet already
 * listens is preferred.
 *
 * @throws ConfigurationInvalid if other users could have written into the folder
 */
export async function stateDirectoryOf(
  given: string | undefined,
  directory: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
  temporary = tmpdir(),
): Promise<string> {
  const places =
    given === undefined ? await defaultPlaces(directory, environment, temporary) : [resolve(given)]
  for (const place of places) {
    if ((await distrust(place)) === null && (await isAnswered(socketPath(place)))) return place
  }
  const [place = temporary] = places
  await assertOwn(place)
  return place
}

/** Returns the path of the socket on which the fleet of this state directory listens. */
export function socketPath(stateDirectory: string): string {
  if (process.platform !== 'win32') return join(stateDirectory, 'fleet.sock')
  const name = createHash('sha256').update(stateDirectory).digest('hex').slice(0, 16)
  return `\\\\.\\pipe\\stepward-${name}`
}

/** @throws ConfigurationInvalid if the folder cannot be created, or if other users may write into it */
export async function makeOwn(stateDirectory: string): Promise<void> {
  try {
    createDirectory(stateDirectory, 0o700)
  } catch (error) {
    // If a link or a file has the folder's name, `assertOwn` reports that.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      const advice = 'pass a --state DIRECTORY that this user may create'
      throw new ConfigurationInvalid([
        `the state directory ${stateDirectory} cannot be created (${errorMessage(error)}): ${advice}`,
      ])
    }
  }
  await assertOwn(stateDirectory)
}

async function assertOwn(stateDirectory: string): Promise<void> {
  const why = await distrust(stateDirectory)
  if (why === null) return
  throw new ConfigurationInvalid([
    `the state directory ${stateDirectory} ${why}, or pass a --state DIRECTORY that does not exist yet`,
  ])
}

/**
 * Returns the reason why the folder cannot be trusted, or null if it is missing or only this user may use it.
 */
async function distrust(directory: string): Promise<string | null> {
  const user = process.getuid?.()
  if (user === undefined) return null
  const found = await lstat(directory).catch((error: unknown) => {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : errorMessage(error)
  })
  if (found === null) return null
  if (typeof found === 'string') return `cannot be used (${found}): correct the path`
  if (!found.isDirectory())
    return `is not a directory but a ${found.isSymbolicLink() ? 'link' : 'file'}: remove it`
  if (found.uid !== user) {
    return `belongs to user ${found.uid}, not to user ${user}, which runs this: have it removed`
  }
  const mode = found.mode & 0o777
  return (mode & 0o077) === 0
    ? null
    : `is open to other users (mode ${mode.toString(8)}): run "chmod 700" on it`
}

async function defaultPlaces(
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
  temporary: string,
): Promise<readonly string[]> {
  const application = createHash('sha256').update(resolve(directory)).digest('hex').slice(0, 12)
  const inTemporary = join(temporary, `stepward-${userInfo().username}-${application}`)
  const runtime = environment['XDG_RUNTIME_DIR'] ?? ''
  // Some logins set the variable to a directory that does not exist.
  const isThere = isAbsolute(runtime) && (await lstat(runtime).catch(() => null))?.isDirectory() === true
  return isThere ? [join(runtime, `stepward-${application}`), inTemporary] : [inTemporary]
}
