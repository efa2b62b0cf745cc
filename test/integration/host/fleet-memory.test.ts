import { chmod, chown, lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fleetStatus, socketPath, stateDirectoryOf, type Fleet } from '../../../src/fleet/index.js'
import { idleFleet, temporaryFolder } from '../../support/idle-fleet.js'

function fleetOf(instances: number, stateDirectory: string): Promise<Fleet> {
  return idleFleet({ agents: instances }, stateDirectory)
}

async function scale(stateDirectory: string, count: number): Promise<void> {
  await fleetStatus(socketPath(stateDirectory), { command: 'scale', role: 'agents', count })
}

it('a fleet runs as many processes as --instances says, whatever an earlier --instances said', async () => {
  const state = join(await temporaryFolder(), 'state')
  await (await fleetOf(0, state)).stop()
  expect((await fleetOf(2, state)).counts).toEqual({ agents: 2 })
})

it('a fleet keeps a scaled count on a restart with the same --instances, but not with another', async () => {
  const state = join(await temporaryFolder(), 'state')
  const first = await fleetOf(1, state)
  await scale(state, 2)
  await first.stop()
  const again = await fleetOf(1, state)
  expect(again.counts, 'the same number').toEqual({ agents: 2 })
  await again.stop()
  const other = await fleetOf(3, state)
  expect(other.counts, 'another number').toEqual({ agents: 3 })
  await other.stop()
  expect((await fleetOf(1, state)).counts, 'the first number, after another').toEqual({ agents: 1 })
})

it('a fleet replaces a symbolic link in the place of its state file instead of following it', async () => {
  const folder = await temporaryFolder()
  const [state, victim] = [join(folder, 'state'), join(folder, 'victim')]
  await writeFile(victim, 'precious')
  await mkdir(state, { mode: 0o700 })
  for (const name of ['fleet.json', 'fleet.json.new']) await symlink(victim, join(state, name))
  await fleetOf(0, state)
  await scale(state, 1)
  await scale(state, 0)
  expect(await readFile(victim, 'utf8')).toBe('precious')
  expect((await lstat(join(state, 'fleet.json'))).isFile()).toBe(true)
})

it('a fleet refuses a state directory that other users may enter, that is a link or that is below a file', async () => {
  const folder = await temporaryFolder()
  const [open, link] = [join(folder, 'open'), join(folder, 'link')]
  await mkdir(open)
  await chmod(open, 0o755)
  await symlink(await temporaryFolder(), link)
  await expect(fleetOf(0, open)).rejects.toThrow(/open is open to other users \(mode 755\): .*chmod 700/)
  await expect(fleetOf(0, link)).rejects.toThrow(/link is not a directory but a link/)
  const belowFile = join(folder, 'file', 'below')
  await writeFile(join(folder, 'file'), '')
  await expect(fleetOf(0, belowFile)).rejects.toThrow(/below cannot be created \(ENOTDIR/)
  for (const place of [open, link, belowFile])
    await expect(stateDirectoryOf(place, folder)).rejects.toThrow(place)
})

it('a fleet refuses a state directory of another user', async () => {
  await expect(fleetOf(0, await foreignFolder())).rejects.toThrow(/belongs to user \d+, not to user \d+/)
})

/**
 * Returns a folder of another user. Only root can give a folder away, so other users get a folder of root.
 */
async function foreignFolder(): Promise<string> {
  if (process.getuid?.() !== 0) return '/usr'
  const folder = join(await temporaryFolder(), 'foreign')
  await mkdir(folder, { mode: 0o700 })
  await chown(folder, 12_345, 12_345)
  return folder
}

it('the state directory is where a fleet listens, or else in the runtime directory of the user', async () => {
  const [runtime, temporary] = [await temporaryFolder(), await temporaryFolder()]
  const places = { XDG_RUNTIME_DIR: runtime }
  const inRuntime = await stateDirectoryOf(undefined, '/app', places, temporary)
  const inTemporary = await stateDirectoryOf(undefined, '/app', {}, temporary)
  expect(inRuntime.startsWith(runtime)).toBe(true)
  expect(inTemporary.startsWith(temporary)).toBe(true)
  expect(await stateDirectoryOf(undefined, '/app', { XDG_RUNTIME_DIR: '/not/there' }, temporary)).toBe(
    inTemporary,
  )
  await fleetOf(0, inTemporary)
  expect(await stateDirectoryOf(undefined, '/app', places, temporary), 'a fleet listens').toBe(inTemporary)
})

it('a fleet answers `scale` and `rebalance` without a question to its store, which may be away', async () => {
  const state = join(await temporaryFolder(), 'state')
  await fleetOf(1, state)
  const path = socketPath(state)
  const scaled = await fleetStatus(path, { command: 'scale', role: 'agents', count: 2 })
  expect(scaled).toMatchObject({ wanted: { agents: 2 }, leases: {}, backlog: [] })
  expect(scaled.leases).toEqual({})
  const { leases, rows } = await fleetStatus(path, { command: 'rebalance' })
  expect([leases, rows.length]).toEqual([{}, 2])
  expect((await fleetStatus(path, { command: 'status' })).leases).not.toEqual({})
})
