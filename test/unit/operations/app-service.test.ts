import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { appService } from '../../../src/operations/app-service.js'
import { ResourceManager } from '../../../src/operations/resource-manager.js'
import { seededRandom, systemClock, type Clock } from '../../../src/platform/index.js'

interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const site = '/subscriptions/s-1/resourceGroups/shop/providers/Microsoft.Web/sites/shop-agents'
const plan = '/subscriptions/s-1/resourceGroups/shop/providers/Microsoft.Web/serverfarms/shop-plan'

/** A small Resource Manager. It answers by method and path, first from a list, and records the calls. */
async function fakeAzure(isPerSite: boolean, exceptions: Readonly<Record<string, Reply[]>> = {}) {
  const told: { readonly call: string; readonly body: unknown }[] = []
  const waits: number[] = []
  const state = { capacity: 2, workers: 1 }
  const usual = (call: string, body: unknown): Reply => {
    switch (call) {
      case 'GET /subscriptions':
        return { status: 200, body: { value: [{ subscriptionId: 's-1', displayName: 'Shop' }] } }
      case `GET ${site}`:
        return { status: 200, body: { properties: { serverFarmId: plan } } }
      case `GET ${plan}`:
        return {
          status: 200,
          body: {
            sku: { name: 'P0v3', capacity: state.capacity },
            properties: { perSiteScaling: isPerSite },
          },
        }
      case `GET ${site}/config/web`:
        return { status: 200, body: { properties: { numberOfWorkers: state.workers } } }
      case `PATCH ${plan}`:
        state.capacity = (body as { sku: { capacity: number } }).sku.capacity
        return { status: 200, body: {} }
      case `PATCH ${site}/config/web`:
        state.workers = (body as { properties: { numberOfWorkers: number } }).properties.numberOfWorkers
        return { status: 200, body: {} }
      default:
        return { status: 404, body: { error: { message: `no ${call}` } } }
    }
  }
  const answer = async (request: IncomingMessage): Promise<Reply> => {
    const call = `${request.method ?? ''} ${(request.url ?? '').split('?')[0] ?? ''}`
    const body = request.method === 'PATCH' ? await json(request) : undefined
    told.push({ call, body })
    if (request.headers.authorization !== 'Bearer token-1') return { status: 401 }
    return exceptions[call]?.shift() ?? usual(call, body)
  }
  const server = createServer((request, response) => {
    answer(request).then(
      ({ status, headers = {}, body }) => {
        response.writeHead(status, headers)
        response.end(body === undefined ? undefined : JSON.stringify(body))
      },
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const clock: Clock = {
    ...systemClock,
    sleep: async (ms) => {
      waits.push(ms)
    },
  }
  const azure = new ResourceManager({
    credential: { getToken: async () => ({ token: 'token-1' }) },
    clock,
    random: seededRandom(1),
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  })
  const target = appService({ name: 'shop-agents', resourceGroup: 'shop' }, azure)
  return { target, told, waits, state, patches: () => told.filter(({ call }) => call.startsWith('PATCH')) }
}

describe('an app of App Service', () => {
  it('has the capacity of its plan, and is scaled with it (R174)', async () => {
    const { target, patches } = await fakeAzure(false)
    expect(await target.instances()).toBe(2)
    expect(await target.scale(3)).toBe(3)
    expect(patches()).toEqual([{ call: `PATCH ${plan}`, body: { sku: { name: 'P0v3', capacity: 3 } } }])
    expect(await target.instances()).toBe(3)
  })

  it('has its own capacity if the plan allows that; the plan grows with it and never shrinks', async () => {
    const { target, patches, state } = await fakeAzure(true)
    expect(await target.instances()).toBe(1)
    await target.scale(2)
    expect(patches().map(({ call }) => call)).toEqual([`PATCH ${site}/config/web`])
    await target.scale(4)
    expect(state).toEqual({ capacity: 4, workers: 4 })
    await target.scale(1)
    expect(state).toEqual({ capacity: 4, workers: 1 })
  })

  it('is asked again after the time that Azure names when it throttles', async () => {
    const throttled = { status: 429, headers: { 'retry-after': '7' } }
    const { target, waits } = await fakeAzure(false, { [`GET ${plan}`]: [throttled, throttled] })
    expect(await target.instances()).toBe(2)
    expect(waits).toEqual([7_000, 7_000])
  })

  it('is not scaled if Azure forbids it, and the error names the necessary roles', async () => {
    const forbidden = { status: 403, body: { error: { message: 'AuthorizationFailed' } } }
    const { target, told } = await fakeAzure(false, { [`PATCH ${plan}`]: [forbidden] })
    await expect(target.scale(3)).rejects.toThrow(/403 AuthorizationFailed: .* Web Plan Contributor/)
    expect(told.filter(({ call }) => call === `PATCH ${plan}`)).toHaveLength(1)
  })

  it('is scaled when a long operation has ended, not when it is accepted', async () => {
    const operation = '/operations/o-1'
    const accepted = { status: 202, headers: { 'azure-asyncoperation': operation, 'retry-after': '2' } }
    const { target, waits, told } = await fakeAzure(false, {
      [`PATCH ${plan}`]: [accepted],
      [`GET ${operation}`]: [
        { status: 200, headers: { 'retry-after': '3' }, body: { status: 'InProgress' } },
        { status: 200, body: { status: 'Succeeded' } },
      ],
    })
    await target.scale(3)
    expect(told.filter(({ call }) => call === `GET ${operation}`)).toHaveLength(2)
    expect(waits).toEqual([2_000, 3_000])
  })

  it('is not scaled if the long operation fails', async () => {
    const operation = '/operations/o-1'
    const { target } = await fakeAzure(false, {
      [`PATCH ${plan}`]: [{ status: 202, headers: { location: operation } }],
      [`GET ${operation}`]: [{ status: 200, body: { status: 'Failed' } }],
    })
    await expect(target.scale(3)).rejects.toThrow(/ended Failed: look at the activity log/)
  })

  it('is scaled without following the operation to another host, which must not get the token', async () => {
    const { target, told } = await fakeAzure(false, {
      [`PATCH ${plan}`]: [{ status: 202, headers: { location: 'http://127.0.0.1:1/operations/o-1' } }],
    })
    expect(await target.scale(3)).toBe(3)
    expect(told.at(-1)?.call).toBe(`PATCH ${plan}`)
  })

  it('needs --subscription if the login has several', async () => {
    const two = ['s-1', 's-2'].map((subscriptionId) => ({ subscriptionId, displayName: subscriptionId }))
    const { target } = await fakeAzure(false, {
      'GET /subscriptions': [{ status: 200, body: { value: two } }],
    })
    await expect(target.instances()).rejects.toThrow(/sees 2 subscriptions: s-1 .*: pass --subscription/)
  })
})
