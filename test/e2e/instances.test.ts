import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { startOrderServices } from './fleet.js'
import {
  cli,
  freePort,
  ordersFile,
  ordersModule,
  root,
  Running,
  run,
  start,
  startEmulatorProcess,
  temporaryDirectory,
} from './processes.js'

const starting = ['start', '--role', 'scheduler', '--instances', '2']
const submitting = ['submit', 'order-fulfilment', ordersFile, '--workflows', ordersModule, '--wait', '--json']

it('`dev` runs a store and every role in one process', async () => {
  const env = {
    ORDER_SERVICES_URL: await startOrderServices(['--faults', 'none']),
    COSMOS_CONNECTION_STRING: 'AccountEndpoint=https://contoso.example/;AccountKey=c2VjcmV0;',
  }
  const dev = start(cli, ['dev', ordersModule, '--port', '0', '--json'], env)
  const said = JSON.parse(await dev.line('"endpoint"')) as {
    endpoint: string
    key: string
    workflows: string[]
    page: string
  }
  expect(said.workflows).toEqual(['order-fulfilment'])
  const signedIn = await fetch(said.page, { redirect: 'manual' })
  expect(signedIn.status).toBe(303)
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  await dev.line(
    'stepward dev uses its embedded store, not https://contoso.example stepward/state; "stepward',
  )
  const store = { COSMOS_ENDPOINT: said.endpoint, COSMOS_KEY: said.key }
  const submitted = await run(cli, submitting, store)
  expect(JSON.parse(submitted.stdout)).toMatchObject({ submitted: 40, conflicts: [], failures: [] })
  expect(submitted.code).toBe(0)
  const status = await run(cli, ['status', 'SW-1001'], store)
  expect(status.stdout).toMatch(/ship +Processed +1 +0\/10/)
  const charges = await fetch(new URL('/api/charges', said.page), { headers: { cookie } })
  const { host } = (await charges.json()) as { host: { users: { user: string }[] } | null }
  expect(host?.users.map(({ user }) => user)).toEqual(expect.arrayContaining(['scheduler', 'agents']))
  expect((await dev.kill('SIGTERM')).code).toBe(0)
})

it('`dev` serves no page with `--no-page`', async () => {
  const env = { ORDER_SERVICES_URL: 'http://127.0.0.1:1' }
  const dev = start(cli, ['dev', ordersModule, '--port', '0', '--no-page', '--json'], env)
  expect(JSON.parse(await dev.line('"endpoint"'))).toMatchObject({ page: null })
  expect((await dev.kill('SIGTERM')).code).toBe(0)
})

it('a signal that comes twice, as a wrapper may send it, does not end `start` before it has given its attempts back', async () => {
  const directory = await temporaryDirectory()
  await mkdir(join(directory, 'node_modules'))
  await symlink(root, join(directory, 'node_modules', 'stepward'))
  const [module, input] = [join(directory, 'slow.mjs'), join(directory, 'input.jsonl')]
  await writeFile(
    module,
    `import { defineAgent, defineWorkflow } from 'stepward'
export const agent = defineAgent('agent', { work: (_input, { log }) => { log.info('begun'); return new Promise(() => undefined) } })
export const flow = defineWorkflow('flow', (job) => { job.step('work', agent.work, {}, { undo: 'none' }) })
`,
  )
  await writeFile(input, '{}\n')
  const data = ['--data', join(directory, 'data')]
  const worker = start(cli, ['start', '--role', 'all', ...data, '--agents', module])
  await worker.line('Ctrl-C stops it')
  await run(cli, ['submit', 'flow', input, '--job-id', 'a', '--workflows', module, ...data])
  await worker.line('begun')
  worker.signal('SIGTERM')
  await worker.line('is stopping')
  worker.signal('SIGTERM')
  await worker.line('gave back attempt 1 of step work')
  expect((await worker.ended).code).toBe(0)
})

it('commands and workers use a data directory through the process that has it open', async () => {
  const env = { ORDER_SERVICES_URL: await startOrderServices(['--faults', 'none']) }
  const data = ['--data', await temporaryDirectory()]
  const holder = start(cli, ['start', '--role', 'scheduler', '--role', 'supervisor', ...data], env)
  await holder.line('"type":"host.started"')
  const worker = start(cli, ['start', '--role', 'agents', '--agents', ordersModule, ...data], env)
  await worker.line('"type":"lease.acquired"')
  const submitted = await run(cli, [...submitting, ...data], env)
  expect(JSON.parse(submitted.stdout)).toMatchObject({ submitted: 40, conflicts: [], failures: [] })
  expect(submitted.code).toBe(0)
  expect((await worker.kill('SIGTERM')).code).toBe(0)
  expect((await holder.kill('SIGTERM')).code).toBe(0)
  const listed = await run(cli, ['list', '--state', 'Processed', '--json', ...data], env)
  expect(JSON.parse(listed.stdout)).toHaveLength(40)
})

it('a child whose parent has ended does not open the data directory', async () => {
  const data = await temporaryDirectory()
  const child = fork(cli, ['start', '--role', 'scheduler', '--supervised', '--data', data], { silent: true })
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([1, null])
  expect(existsSync(join(data, 'data.mdb'))).toBe(false)
})

it('`start --instances` runs processes that share the leases and end with their parent', async () => {
  const { env } = await startEmulatorProcess(['--port', '0', '--partitions', '2'])
  const port = await freePort()
  const fleet = start(cli, [...starting, '--port', String(port), '--state', await temporaryDirectory()], env)
  const readiness = async (): Promise<unknown> => (await fetch(`http://127.0.0.1:${port}/readyz`)).json()
  await fleet.line('Using 2 instances')
  expect(await readiness()).toMatchObject({
    isHealthy: false,
    problems: ['no process of scheduler runs: starting 2 of 2'],
  })
  await fleet.line('"type":"host.started"')
  while (JSON.stringify(await readiness()) !== '{"isHealthy":true,"problems":[]}');
  await fleet.line('"type":"lease.acquired"', 2)
  const rows = JSON.parse((await run(cli, ['leases', '--json'], env)).stdout) as { owner: string | null }[]
  expect(rows).toHaveLength(2)
  expect(rows.every((row) => row.owner !== null)).toBe(true)
  // The parent shares its pipes with its children, so this resolves only when all of them have ended.
  const ended = await fleet.kill('SIGTERM')
  expect(ended.code).toBe(0)
  const after = JSON.parse((await run(cli, ['leases', '--json'], env)).stdout) as { owner: string | null }[]
  expect(after.map((row) => row.owner)).toEqual([null, null])
})

it('`start --instances` reports an instance that fails, and ends with its exit code', async () => {
  const { env } = await startEmulatorProcess(['--port', '0'])
  const ended = await run(cli, [...starting, '--state', await temporaryDirectory()], {
    ...env,
    COSMOS_KEY: 'd3Jvbmc=',
  })
  expect(ended.code).toBe(5)
  expect(ended.stderr).toMatch(/"type":"instance.ended".*"exit":"exit code 5"/)
  expect(ended.stderr).toMatch(/refused the key/)
})

it('a process in reserve runs the role that its parent names, and ends with a parent that names none', async () => {
  const { env } = await startEmulatorProcess(['--port', '0'])
  const inReserve = async () => {
    const child = fork(cli, ['start', '--in-reserve', '--supervised'], {
      env: { ...process.env, ...env },
      silent: true,
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    expect(await once(child, 'message')).toEqual([{ say: 'loaded' }, undefined])
    return { child, running: new Running(child) }
  }
  const [taken, left] = await Promise.all([inReserve(), inReserve()])
  taken.child.send({ ask: 'begin', role: 'scheduler', instanceName: 'vm-7' })
  const leftEnds = once(left.child, 'exit')
  left.child.disconnect()
  expect(await leftEnds).toEqual([0, null])
  const line = await taken.running.line('"type":"host.started"')
  expect(JSON.parse(line)).toMatchObject({ instanceName: 'vm-7', roles: ['scheduler'] })
  expect((await taken.running.kill('SIGTERM')).code).toBe(0)
  expect(left.running.heard).toEqual([])
})

it('an unhandled error ends a process after it has released its leases (F-X25)', async () => {
  const { env } = await startEmulatorProcess(['--port', '0', '--partitions', '2'])
  const module = join(await temporaryDirectory(), 'agents.mjs')
  const stray = `process.on('SIGUSR2', () => setImmediate(() => { throw new Error('stray') }))`
  await writeFile(module, `export * from ${JSON.stringify(pathToFileURL(ordersModule).href)}\n${stray}\n`)
  const worker = start(cli, ['start', '--role', 'agents', '--agents', module], env)
  await worker.line('"type":"lease.acquired"', 2)
  const ended = await worker.kill('SIGUSR2')
  expect(ended.code).toBe(1)
  expect(ended.stderr).toMatch(/"type":"host.failed".*"message":"stray"/)
  const leases = JSON.parse((await run(cli, ['leases', '--json'], env)).stdout) as { owner: string | null }[]
  expect(leases.map(({ owner }) => owner)).toEqual([null, null])
})

it('an unhandled error ends a process that still waits for its store (F-X25)', async () => {
  const module = join(await temporaryDirectory(), 'agents.mjs')
  const stray = `process.on('SIGUSR2', () => setImmediate(() => { throw new Error('stray') }))`
  await writeFile(module, `export * from ${JSON.stringify(pathToFileURL(ordersModule).href)}\n${stray}\n`)
  const unseen = { COSMOS_ENDPOINT: `http://127.0.0.1:${await freePort()}`, COSMOS_KEY: 'bm90IGEga2V5' }
  const worker = start(cli, ['start', '--role', 'agents', '--agents', module], unseen)
  await worker.line('the start waits (')
  const ended = await worker.kill('SIGUSR2')
  expect(ended.code).toBe(1)
  expect(ended.stderr).toMatch(/"type":"host.failed".*"message":"stray"/)
})
