import { createHash } from 'node:crypto'
import { lstat, mkdir } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { ConfigurationInvalid } from '../errors.js'
import { isAnswered } from './control.js'

/**
 * Where the fleet that was started in `directory` keeps what it must remember, and listens: a folder of this user's in
 * `XDG_RUNTIME_DIR`, else below the temporary directory, since the application's own may be read-only. A login and a
 * service may see different variables, so the place in which a fleet listens already is preferred.
 *
 * @throws ConfigurationInvalid when others could have put something into the folder
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

/** Where a fleet of this state directory listens. */
export function socketPath(stateDirectory: string): string {
  if (process.platform !== 'win32') return join(stateDirectory, 'fleet.sock')
  const name = createHash('sha256').update(stateDirectory).digest('hex').slice(0, 16)
  return `\\\\.\\pipe\\stepward-${name}`
}

/**
 * Makes the folder where it is missing.
 *
 * @throws ConfigurationInvalid when one is there that is not this user's alone
 */
export async function makeOwn(stateDirectory: string): Promise<void> {
  await mkdir(stateDirectory, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    // A link or a file in its place is named below.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  })
  await assertOwn(stateDirectory)
}

async function assertOwn(stateDirectory: string): Promise<void> {
  const why = await distrust(stateDirectory)
  if (why === null) return
  throw new ConfigurationInvalid([
    `the folder of a fleet ${stateDirectory} ${why}; or pass a --state DIRECTORY that does not exist yet`,
  ])
}

/** Why the folder may not be trusted; null when it is this user's alone, or is not there. */
async function distrust(directory: string): Promise<string | null> {
  const user = process.getuid?.()
  if (user === undefined) return null
  const found = await lstat(directory).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  })
  if (found === null) return null
  if (!found.isDirectory()) return `is no folder but a ${found.isSymbolicLink() ? 'link' : 'file'}: remove it`
  if (found.uid !== user) {
    return `belongs to user ${found.uid}, not to user ${user} who runs this: have it removed`
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
  // Some logins name one that was never made.
  const isThere = isAbsolute(runtime) && (await lstat(runtime).catch(() => null))?.isDirectory() === true
  return isThere ? [join(runtime, `stepward-${application}`), inTemporary] : [inTemporary]
}
