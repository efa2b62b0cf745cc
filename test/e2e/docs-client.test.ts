import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEmulator, type Emulator } from '../../src/emulator/index.js'
import { wellKnownKey } from '../../src/emulator/internal.js'
import { defineAgent, startHost, type Host, type JobClient } from '../../src/index.js'
import { blocksOf, clientPage, programsIn, root } from './doc-page.js'

interface Answer {
  readonly status: number
  readonly body: unknown
}
type Call = (...given: readonly unknown[]) => Promise<Answer>
interface Page {
  readonly submitOrder: Call
  readonly orderState: Call
  readonly ordersOf: Call
  readonly inboxOf: Call
  readonly decide: Call
  readonly refunds: never
  readonly serverOf: (handlers: object) => Server
}

/** Stand-ins for frameworks. Each keeps the handlers that a file of the page gives to it. */
const standIns: Readonly<Record<string, string>> = {
  express: `
    export const handlers = []
    export default Object.assign(() => ({
      use: () => undefined,
      put: (path, handler) => handlers.push(handler),
      listen: () => undefined,
    }), { json: () => undefined })`,
  fastify: `
    export const handlers = []
    export default () => ({ put: (path, handler) => handlers.push(handler), listen: async () => undefined })`,
  '@azure/functions': `
    export const handlers = []
    export const app = { http: (name, options) => handlers.push(options.handler) }`,
}

const order = { customer: 'ada', total: 20 }

let directory: string
let account: Emulator
let host: Host
let page: Page
let client: JobClient

const imported = async <T>(name: string): Promise<T> =>
  (await import(/* @vite-ignore */ pathToFileURL(join(directory, name)).href)) as T

function written(name: string, code: string): void {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  })
  writeFileSync(join(directory, name), outputText)
}

beforeAll(async () => {
  // Inside the package, so that its own name resolves.
  mkdirSync(join(root, '.stepward'), { recursive: true })
  directory = mkdtempSync(join(root, '.stepward', 'docs-'))
  writeFileSync(join(directory, 'package.json'), '{ "name": "reader", "type": "module" }')
  account = await startEmulator({ port: 0 })
  const connectionString = `AccountEndpoint=${account.endpoint};AccountKey=${wellKnownKey};`
  process.env['COSMOS_CONNECTION_STRING'] = connectionString
  const payments = defineAgent('payments', { charge: async () => Promise.resolve({ receipt: 'r1' }) })
  host = await startHost({ connectionString, agents: [payments] })
  client = host.client
  const programs = programsIn(clientPage)
  programs.forEach((code, index) => written(`example-${index}.mjs`, code))
  const modules = await Promise.all(programs.map((_, index) => imported<object>(`example-${index}.mjs`)))
  page = Object.assign({}, ...modules) as Page
})

afterAll(async () => {
  delete process.env['COSMOS_CONNECTION_STRING']
  await host.stop()
  await account.close()
  rmSync(directory, { recursive: true })
})

async function served(handlers: object) {
  const server = page.serverOf(handlers).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = async (method: string, path: string, body?: string): Promise<Answer> => {
    const given = body === undefined ? { method } : { method, body }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, given)
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }
  return { ask, [Symbol.dispose]: () => server.close() }
}

describe(clientPage, () => {
  it('has a server that submits an order once, waits for it, and answers errors', async () => {
    using server = await served({
      'PUT /orders': (id: string, body: unknown) => page.submitOrder(client, id, body),
      'GET /orders': (id: string) => page.orderState(client, id),
    })
    const put = (body: unknown) => server.ask('PUT', '/orders/a%201', JSON.stringify(body))
    expect(await put(order)).toEqual({ status: 202, body: { jobId: 'a 1' } })
    expect(await put(order)).toEqual({ status: 202, body: { jobId: 'a 1' } })
    expect(await put({ ...order, total: 21 })).toMatchObject({ status: 409, body: { code: 'JOB_CONFLICT' } })
    expect(await put({ ...order, total: -1 })).toMatchObject({
      status: 400,
      body: { code: 'SUBMISSION_INVALID' },
    })
    expect(await put(null)).toMatchObject({ status: 400 })
    expect(await server.ask('PUT', '/orders/a', '{')).toEqual({ status: 400, body: null })
    expect(await server.ask('GET', '/orders/a%201')).toEqual({
      status: 200,
      body: { state: 'Processed', result: { receipt: 'r1' } },
    })
    expect(await server.ask('GET', '/orders/unknown')).toEqual({ status: 404, body: null })
    expect(await server.ask('GET', '/else')).toEqual({ status: 404, body: null })
  })

  it('lists the orders of a customer page by page', async () => {
    const ids = Array.from({ length: 21 }, (_, index) => `of-bob-${index}`)
    for (const id of ids) await page.submitOrder(client, id, { ...order, customer: 'bob' })
    type Listed = { readonly orders: readonly { readonly jobId: string }[]; readonly next?: object }
    const { body } = (await page.ordersOf(client, 'bob')) as { body: Listed }
    const { body: rest } = (await page.ordersOf(client, 'bob', body.next)) as { body: Listed }
    expect([body.orders.length, rest.orders.length]).toEqual([20, 1])
    const listed = [...body.orders, ...rest.orders].map(({ jobId }) => jobId)
    expect(listed.toSorted()).toEqual(ids.toSorted())
  })

  it('shows a question, takes one answer, and says why a job waits', async () => {
    await client.submit(page.refunds, { orderId: 'r', customer: 'ada', total: 1 } as never)
    const inbox = async () => ((await page.inboxOf(client, 'ann')).body as readonly object[]).length
    await expect.poll(inbox).toBe(1)
    const { status, body } = await page.orderState(client, 'refund-r', 1)
    expect([status, body]).toEqual([
      202,
      { state: 'Processing', why: expect.stringContaining('ann') as unknown },
    ])
    expect(await page.decide(client, 'refund-r', 'perhaps', 'ann')).toMatchObject({ status: 400 })
    expect(await page.decide(client, 'refund-r', true, 'ann')).toEqual({ status: 204, body: null })
    expect(await page.decide(client, 'refund-r', false, 'bob')).toMatchObject({ status: 409 })
    expect(await page.decide(client, 'unknown', true, 'ann')).toMatchObject({ status: 404 })
    expect(await page.orderState(client, 'refund-r')).toMatchObject({ status: 200 })
  })

  it('tells the state of a job that ended without success', async () => {
    await client.submit(page.refunds, { orderId: 'c', customer: 'ada', total: 1 } as never)
    await client.cancel('refund-c', 'not needed')
    expect(await page.orderState(client, 'refund-c')).toEqual({ status: 200, body: { state: 'Compensated' } })
  })

  it('has a file for each framework, which submits an order', async () => {
    const files = blocksOf(clientPage).filter(({ language }) => language === 'js')
    expect(files.map(({ note }) => note)).toEqual(['express.js', 'fastify.js', 'functions.js'])
    cpSync(join(directory, 'example-0.mjs'), join(directory, 'orders.js'))
    for (const [name, code] of Object.entries(standIns)) {
      const folder = join(directory, 'node_modules', name)
      mkdirSync(folder, { recursive: true })
      writeFileSync(
        join(folder, 'package.json'),
        JSON.stringify({ name, type: 'module', exports: './index.js' }),
      )
      writeFileSync(join(folder, 'index.js'), code)
    }
    const sent: Answer[] = []
    const reply = {
      status: (status: number) => ({ json: (body: unknown) => sent.push({ status, body }) }),
      code: (status: number) => ({ send: (body: unknown) => sent.push({ status, body }) }),
    }
    for (const [index, name] of Object.keys(standIns).entries()) {
      const file = files[index]
      written(file?.note ?? '', file?.text ?? '')
      await imported(file?.note ?? '')
      type Handler = (request: object, reply: object) => Promise<{ status: number; jsonBody: unknown }>
      const { handlers } = await imported<{ handlers: Handler[] }>(`node_modules/${name}/index.js`)
      const json = () => Promise.resolve(order)
      const request = { params: { id: `by-${index}` }, body: order, json }
      const returned = await handlers[0]?.(
        name === '@azure/functions' ? { ...request, body: null } : request,
        reply,
      )
      if (name === '@azure/functions' && returned)
        sent.push({ status: returned.status, body: returned.jsonBody })
    }
    expect(sent).toEqual([0, 1, 2].map((index) => ({ status: 202, body: { jobId: `by-${index}` } })))
  })
})
