import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cli, run, start, startEmulatorProcess, temporaryDirectory } from './processes.js'

/** The environment of a process in which no native binary loads, as after a copy from another system. */
async function withoutBinaries(): Promise<Readonly<Record<string, string>>> {
  const preload = join(await temporaryDirectory(), 'no-binaries.cjs')
  await writeFile(
    preload,
    `process.dlopen = (_, path) => { throw new Error('not for this system: ' + path) }\n`,
  )
  return { NODE_OPTIONS: `--require ${JSON.stringify(preload)}` }
}

it('a worker and an operator of an account need no native binary', async () => {
  const account = await startEmulatorProcess(['--port', '0'])
  const env = { ...account.env, ...(await withoutBinaries()) }
  const worker = start(cli, ['start', '--role', 'scheduler'], env)
  await worker.line('"type":"host.started"')
  const listed = await run(cli, ['list', '--json'], env)
  expect(listed.stderr).toBe('')
  expect(listed.code).toBe(0)
  expect((await worker.kill('SIGTERM')).code).toBe(0)
})

it('a command refuses a data directory in one sentence when the native binary is missing', async () => {
  const data = join(await temporaryDirectory(), 'data')
  const { process: emulator } = await startEmulatorProcess(['--port', '0', '--data', data])
  await emulator.kill('SIGTERM')
  const listed = await run(cli, ['list', '--data', data], await withoutBinaries())
  expect(listed.stderr).toMatch(
    /^stepward: A data directory needs the package lmdb .* Run "npm ci" on this system\.\n$/,
  )
  expect(listed.code).toBe(1)
})
