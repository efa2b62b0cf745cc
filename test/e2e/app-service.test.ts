import { execFile, spawn } from 'node:child_process'
import { chmod, cp, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { shortTimes } from './fleet.js'
import { cli, freePort, run, Running, startEmulatorProcess, temporaryDirectory } from './processes.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const execute = promisify(execFile)

/** The package as deployed: unpacked in a read-only folder of its own, beside its dependencies. */
async function deployed(): Promise<string> {
  const directory = await temporaryDirectory()
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory]
  const { stdout } = await execute('npm', pack, { cwd: root })
  const [tarball] = JSON.parse(stdout) as { readonly filename: string }[]
  await execute('tar', ['-xzf', tarball?.filename ?? ''], { cwd: directory })
  const site = join(directory, 'package')
  await symlink(join(root, 'node_modules'), join(site, 'node_modules'), 'dir')
  // A user's module uses this copy of the package: agents of another copy would not be recognised.
  await cp(join(root, 'dist/samples'), join(site, 'dist/samples'), { recursive: true })
  await writeFile(join(site, 'stepward.config.json'), JSON.stringify(shortTimes))
  await chmod(site, 0o555)
  onTestFinished(() => chmod(site, 0o755))
  return site
}

/** Starts as the platform's image does: a generated shell script whose last line is the startup command. */
async function startApp(site: string, env: Readonly<Record<string, string>>): Promise<Running> {
  const script = join(await temporaryDirectory(), 'startup.sh')
  const lines = ['#!/bin/sh', `cd "${site}"`, 'export NODE_ENV=production']
  await writeFile(script, [...lines, 'exec node dist/src/cli/main.js start --role all', ''].join('\n'))
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('COSMOS_'))
  const child = spawn('/bin/sh', [script], {
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const running = new Running(child)
  onTestFinished(async () => {
    await running.kill('SIGKILL')
  })
  return running
}

it('a host on App Service is alive without a store, shares a machine and stops cleanly (R173)', async () => {
  const site = await deployed()
  const [storePort, port, otherPort] = [await freePort(), await freePort(), await freePort()]
  const key = 'c2VjcmV0LW9mLXRoaXMtdGVzdA=='
  const platform = {
    WEBSITE_SITE_NAME: 'shop-all',
    WEBSITE_INSTANCE_ID: '0123456789abcdef0123456789abcdef',
    COSMOS_ENDPOINT: `http://127.0.0.1:${storePort}`,
    COSMOS_KEY: key,
    STEPWARD_MODULE: 'dist/samples/orders/index.js',
    ORDER_SERVICES_URL: 'http://127.0.0.1:1',
  }
  const first = await startApp(site, { ...platform, PORT: String(port) })
  await first.line('the start waits (no answer from')
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status, 'alive without a store').toBe(200)
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 'but of no use').toBe(503)

  const store = await startEmulatorProcess(['--port', String(storePort), '--partitions', '2', '--key', key])
  const leases = async () =>
    JSON.parse((await run(cli, ['leases', '--json'], store.env)).stdout) as { owner: string | null }[]
  await first.line('"type":"lease.acquired"', 8)
  await first.line('"type":"host.started"')
  expect(first.count('the start waits (no answer from'), 'said once').toBe(1)
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status
  await expect.poll(isReady, { timeout: 60_000 }).toBe(200)

  // The platform starts the new process before it stops the old one.
  const second = await startApp(site, { ...platform, PORT: String(otherPort) })
  await second.line('"type":"lease.acquired"', 4)
  const owners = new Set((await leases()).map(({ owner }) => owner))
  expect(owners.size, 'two names on one machine').toBe(2)
  for (const owner of owners) expect(owner).toMatch(/^shop-all-production-01234567-[0-9a-f]{6}$/)
  // A lease is logged before the host counts it.
  const metrics = async () => (await fetch(`http://127.0.0.1:${otherPort}/metrics`)).text()
  await expect
    .poll(metrics, { timeout: 60_000 })
    .toMatch(/^stepward_leases_owned\{processor="stepward-scheduler"\} 1$/m)

  for (const app of [first, second]) {
    const toldAt = performance.now()
    const { code, stdout, stderr } = await app.kill('SIGTERM')
    const stoppedMs = Math.round(performance.now() - toldAt)
    console.log(`stopped ${stoppedMs} ms after SIGTERM`)
    expect(code).toBe(0)
    expect(stoppedMs).toBeLessThan(30_000)
    expect(stdout + stderr, 'no secret in any line').not.toContain(key)
  }
  expect((await leases()).filter(({ owner }) => owner !== null)).toEqual([])
})

it('`start` reports all problems with its options and environment in one line', async () => {
  const env = { PORT: 'http', COSMOS_ENDPOINT: 'localhost', COSMOS_KEY: 'not-base-64!' }
  const { code, stderr } = await run(cli, ['start', '--role', 'schedular', '--instances', 'x'], env)
  expect(code).toBe(2)
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  for (const part of [
    '--instances "x"',
    'PORT',
    '--role "schedular"',
    'endpoint is "localhost"',
    'it must be base64',
  ]) {
    expect(stderr).toContain(part)
  }
  expect(stderr).not.toContain('not-base-64!')
})

it('`start` runs no role in a slot that is not enabled, but answers health checks', async () => {
  const port = await freePort()
  const env = { STEPWARD_ENABLED: 'false', PORT: String(port), COSMOS_ENDPOINT: 'https://nowhere.invalid' }
  const idle = new Running(
    spawn(process.execPath, [cli, 'start', '--role', 'scheduler'], { env: { ...process.env, ...env } }),
  )
  onTestFinished(async () => {
    await idle.kill('SIGKILL')
  })
  await idle.line('nothing runs here')
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503)
  expect((await idle.kill('SIGTERM')).code).toBe(0)
})
