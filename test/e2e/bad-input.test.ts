import { spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  cli,
  ordersFile,
  ordersModule,
  run,
  startEmulatorProcess,
  temporaryDirectory,
  type Ended,
} from './processes.js'

const [firstOrder = ''] = (await readFile(ordersFile, 'utf8')).split('\n')
const order = (changes: object): string =>
  JSON.stringify({ ...(JSON.parse(firstOrder) as object), ...changes })

function submit(
  file: string,
  env: Readonly<Record<string, string>>,
  workflow = 'order-fulfilment',
): Promise<Ended> {
  return run(cli, ['submit', workflow, file, '--workflows', ordersModule], env)
}

/** One line on standard error, no stack trace, nothing on standard output. */
function expectOneLine({ stdout, stderr }: Ended): string {
  expect(stdout).toBe('')
  expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  return stderr
}

describe('the command line, given bad input,', () => {
  it('rejects files, workflows and keys in one line, and writes nothing', async () => {
    const { env } = await startEmulatorProcess(['--port', '0'])
    const file = join(await temporaryDirectory(), 'orders.jsonl')
    const contents: readonly (readonly [string, RegExp])[] = [
      [`${order({ orderId: 'a' })}\n{"orderId": "b",\n`, /line 2 is not JSON/],
      [`${order({ orderId: 'a' })}\n${order({ orderId: undefined })}\n`, /line 2: orderId is missing/],
      [
        `${order({ orderId: 'a' })}\n${order({ orderId: 'a', total: 1 })}\n`,
        /line 2: id "a" is on line 1 already, with another payload/,
      ],
    ]
    for (const [content, message] of contents) {
      await writeFile(file, content)
      const ended = await submit(file, env)
      expect(expectOneLine(ended)).toMatch(message)
      expect(ended.code).toBe(2)
    }
    const unknown = await submit(ordersFile, env, 'order-fulfillment')
    expect(expectOneLine(unknown)).toMatch(/unknown workflow "order-fulfillment": .* has order-fulfilment/)
    expect(unknown.code).toBe(2)
    const refused = await submit(ordersFile, { ...env, COSMOS_KEY: 'd3Jvbmc=' })
    expect(expectOneLine(refused)).toMatch(
      /refused the key: check the key, or the connection string that contains it/,
    )
    expect(refused.code).toBe(5)
    const listed = await run(cli, ['list', '--json'], env)
    expect(expectOneLine(listed), 'not even a database').toMatch(
      /database "stepward" or a container in it is missing: .* "stepward provision" to create/,
    )
    expect(listed.code).toBe(5)
  })

  it('reports a known id with another payload, which keeps the first job, and an unknown id', async () => {
    const { env } = await startEmulatorProcess(['--port', '0'])
    const file = join(await temporaryDirectory(), 'orders.jsonl')
    await writeFile(file, order({ orderId: 'a' }))
    expect((await submit(file, env)).code).toBe(0)
    expect((await submit(file, env)).code, 'the same again is the same job').toBe(0)
    await writeFile(file, order({ orderId: 'a', total: 1 }))
    const ended = await submit(file, env)
    expect(ended.stderr).toMatch(/job "a" already exists with another payload/)
    expect(ended.code).toBe(4)
    const listed = await run(cli, ['list', '--json'], env)
    expect(JSON.parse(listed.stdout)).toMatchObject([{ jobId: 'a', state: 'Pending' }])
    const missing = await run(cli, ['status', 'missing'], env)
    expect(expectOneLine(missing)).toMatch(/there is no job "missing"/)
    expect(missing.code).toBe(3)
  })

  it('rejects a directory without a store, and leaves it empty', async () => {
    const directory = await temporaryDirectory()
    const ended = await run(cli, ['list', '--data', directory])
    expect(expectOneLine(ended)).toMatch(
      /holds no embedded store: .* create a store with "stepward provision --data /,
    )
    expect(ended.code).toBe(2)
    expect(await readdir(directory)).toEqual([])
  })

  it('reports that the port of the emulator is in use', async () => {
    const port = await usedPort()
    const ended = await run(cli, ['emulator', '--port', String(port)])
    expect(expectOneLine(ended)).toMatch(
      new RegExp(`Port ${port} on 127.0.0.1 is in use, .* choose another port`),
    )
    expect(ended.code).toBe(1)
  })

  it.each([['--verbose'], ['--instances', '2', '--state', join(tmpdir(), 'stepward-port-in-use')]])(
    'reports that the port for health checks is in use, with %s',
    async (...options) => {
      const args = ['start', '--role', 'scheduler', '--port', String(await usedPort()), ...options]
      const ended = await run(cli, args, { COSMOS_ENDPOINT: 'http://127.0.0.1:1', COSMOS_KEY: 'a2V5' })
      const [said] = ended.stderr.split('\n')
      expect(said).toMatch(/^stepward: port \d+ for health and metrics is in use: choose another/)
      expect(ended.code).toBe(2)
    },
  )

  it('reports that another emulator uses the data directory', async () => {
    const directory = await temporaryDirectory()
    await startEmulatorProcess(['--port', '0', '--data', directory])
    const ended = await run(cli, ['emulator', '--port', '0', '--data', directory])
    expect(expectOneLine(ended)).toMatch(/ is in use by another emulator\. Stop that one, or choose another/)
    expect(ended.code).toBe(1)
  })

  it('reports that no server answers', async () => {
    const port = await freePort()
    const ended = await submit(ordersFile, {
      COSMOS_ENDPOINT: `http://127.0.0.1:${port}`,
      COSMOS_KEY: 'a2V5',
    })
    expect(expectOneLine(ended)).toMatch(/no answer from .*: check the address, or start an embedded store/)
    expect(ended.code).toBe(5)
  })

  it('rejects a command that names no store', async () => {
    const ended = await submit(ordersFile, {})
    expect(expectOneLine(ended)).toMatch(/no store is named: pass --endpoint/)
    expect(ended.code).toBe(2)
  })

  it.each([
    [
      ['start', '--role', 'schedular'],
      /--role "schedular" must be one or more of scheduler, agents, supervisor, notifier, all/,
    ],
    [['list', '--state', 'Done'], /--state "Done" must be one of Pending, Processing, Processed, Error/],
    [['emulator', '--port', '70000'], /--port "70000" must be a whole number from 0 to 65535/],
    [['emulator', '--key', 'abc'], /--key \(its value is not shown\) must be base64 in whole groups of four/],
    [['emulator', '--data', '/proc/missing/store'], /--data \/proc\/missing\/store cannot be used \(/],
    [['list', '--endpoint', 'localhost:8081'], /endpoint is "localhost:8081"; it must be a URL/],
  ])('rejects the arguments %j', async (args, message) => {
    const ended = await run(cli, args)
    expect(expectOneLine(ended)).toMatch(message)
    expect(ended.code).toBe(2)
  })
})

describe('autoscale', () => {
  it('ends at once when no store is named and no fleet runs', async () => {
    const state = ['--state', await temporaryDirectory()]
    const ended = await run(cli, ['autoscale', 'agents', ...state])
    expect(ended.stderr).toMatch(/^stepward: (no store is named|no fleet answers at)/m)
    expect([2, 3]).toContain(ended.code)
  })

  it('ends at once when no fleet runs', async () => {
    const { env } = await startEmulatorProcess(['--port', '0'])
    expect((await run(cli, ['provision'], env)).code).toBe(0)
    const ended = await run(cli, ['autoscale', 'agents', '--state', await temporaryDirectory()], env)
    expect(ended.stderr).toMatch(/^stepward: no fleet answers at/m)
    expect(ended.code).toBe(3)
  })
})

it('a command keeps its exit code when its standard error is closed', async () => {
  const child = spawn(process.execPath, [cli, 'list', '--limit', '0'], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stderr.destroy()
  const code = await new Promise((resolve) => child.once('exit', resolve))
  expect(code).toBe(2)
})

function usedPort(): Promise<number> {
  return listenAnywhere((server) => {
    onTestFinished(() => {
      server.close()
    })
  })
}

/** A port without a listener: it was free a moment ago. */
function freePort(): Promise<number> {
  return listenAnywhere((server) => server.close())
}

function listenAnywhere(then: (server: ReturnType<typeof createServer>) => void): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      then(server)
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}

beforeAll(() => {
  expect(firstOrder).toContain('orderId')
})
