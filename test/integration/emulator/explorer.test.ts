import { request } from 'node:http'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Emulator } from '../../../src/emulator/index.js'
import { Account } from '../../../src/emulator/explorer/page/account/account.js'
import { FeedTail } from '../../../src/emulator/explorer/page/account/change-feed.js'
import {
  createItem,
  deleteItem,
  readItem,
  replaceItem,
} from '../../../src/emulator/explorer/page/account/items.js'
import { indexFactsIn } from '../../../src/emulator/explorer/page/account/query-facts.js'
import { readPage, readPlan } from '../../../src/emulator/explorer/page/account/queries.js'
import {
  createContainer,
  createDatabase,
  mergeRanges,
  readRanges,
  readTree,
  splitRange,
} from '../../../src/emulator/explorer/page/account/resources.js'
import { anEmulator } from './doors.js'

interface Got {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** Sends a request with exactly these headers, as a browser of any site could. */
function get(endpoint: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Got> {
  const { hostname, port } = new URL(endpoint)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers }, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
      answer.on('end', () => {
        resolve({ status: answer.statusCode, headers: answer.headers, text })
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('the server of the data explorer', () => {
  it('sends the page and every file that the page loads', async () => {
    const { endpoint, explorer } = await anEmulator()
    expect(explorer).toBe(`${endpoint}_explorer/`)
    const open = ['index.html']
    const seen = new Set<string>()
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (seen.has(name)) continue
      seen.add(name)
      const { status, text } = await get(endpoint, `/_explorer/${name === 'index.html' ? '' : name}`)
      expect([name, status]).toEqual([name, 200])
      const named = [...text.matchAll(/['"]([./\w-]+\.(?:css|js|svg))['"]/gu)].map(([, to]) => to ?? '')
      open.push(...named.map((to) => new URL(to, `http://page/${name}`).pathname.slice(1)))
    }
    expect([...seen]).toEqual(expect.arrayContaining(['main.js', 'explorer.css', 'icon.svg', 'views/dom.js']))
  })

  it('limits the page to its own files, and prevents other pages from embedding it', async () => {
    const { endpoint } = await anEmulator()
    const { headers } = await get(endpoint, '/_explorer/')
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/u)
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['cross-origin-resource-policy']).toBe('same-origin')
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })

  it.each(['/_explorer', '/_explorer/index.html'])('redirects %s to the page', async (path) => {
    const { status, headers } = await get((await anEmulator()).endpoint, path)
    expect([status, headers['location']]).toEqual([302, '/_explorer/'])
  })

  it.each([
    '/_explorer/none.js',
    '/_explorer/tsconfig.json',
    '/_explorer/..%2fpage-files.ts',
    '/_explorer/views/',
    `/_explorer/${'a'.repeat(300)}.js`,
  ])('has no file %s', async (path) => {
    expect((await get((await anEmulator()).endpoint, path)).status).toBe(404)
  })

  it('refuses a name that another site leads to this machine, and pages of other origins', async () => {
    const { endpoint } = await anEmulator()
    const rebound = await get(endpoint, '/_explorer/', { host: 'example.com:8081' })
    expect(rebound.status).toBe(403)
    expect(rebound.text).toContain('does not open at example.com:8081')
    expect((await get(endpoint, '/_explorer/main.js', { origin: 'http://example.com' })).status).toBe(403)
    expect((await get(endpoint, '/_explorer/main.js', { origin: 'null' })).status).toBe(403)
    expect((await get(endpoint, '/_explorer/main.js', { origin: new URL(endpoint).origin })).status).toBe(200)
  })

  it('is off on request, and by default if other machines can reach the server', async () => {
    const off = await anEmulator({ explorer: false })
    const open = await anEmulator({ host: '0.0.0.0' })
    for (const { endpoint, explorer } of [off, open]) {
      const { status, text } = await get(endpoint, '/_explorer/')
      expect([status, explorer]).toEqual([404, null])
      expect(text).toContain('explorer: true')
    }
    const wanted = await anEmulator({ host: '0.0.0.0', explorer: true })
    expect((await get(wanted.endpoint, '/_explorer/', { host: '192.168.1.7:8081' })).status).toBe(200)
    expect((await get(wanted.endpoint, '/_explorer/', { host: 'cosmos:8081' })).status).toBe(403)
  })

  it('never sends the key of the account', async () => {
    const { endpoint, key } = await anEmulator({ key: 'c2VjcmV0' })
    for (const name of ['', 'main.js', 'account/account.js']) {
      expect((await get(endpoint, `/_explorer/${name}`)).text).not.toContain(key)
    }
    expect((await get(endpoint, '/dbs')).status).toBe(401)
  })
})

describe('the page as a client', () => {
  let emulator: Emulator
  let account: Account
  let place: { database: string; container: string; definition: unknown }

  beforeEach(async () => {
    emulator = await anEmulator({ partitionCount: 2 })
    account = accountOf(emulator, emulator.key)
    await createDatabase(account, 'shop')
    await createContainer(account, 'shop', { id: 'orders', paths: ['/pk'] })
    const [shop] = await readTree(account)
    place = { database: 'shop', container: 'orders', definition: shop?.containers[0] }
  })

  function accountOf(
    { endpoint }: Emulator,
    key: string,
    askKey = () => Promise.reject(new Error('asked')),
  ): Account {
    return new Account({
      fetch: (path, options) => fetch(new URL(path, endpoint), options),
      now: () => new Date(),
      key,
      askKey,
    })
  }

  it('writes an item only if no other client has changed it', async () => {
    const read = await createItem(account, place, { id: 'a ö', pk: 'Łódź', count: 1 })
    const changed = await replaceItem(account, place, read, { ...read, count: 2 })
    await expect(replaceItem(account, place, read, { ...read, count: 3 })).rejects.toMatchObject({
      status: 412,
    })
    await expect(deleteItem(account, place, read)).rejects.toMatchObject({ status: 412 })
    expect(await readItem(account, place, read)).toMatchObject({ count: 2 })
    await deleteItem(account, place, changed)
    await expect(readItem(account, place, read)).rejects.toMatchObject({ status: 404 })
  })

  it('refuses a name that browsers remove from a path', async () => {
    const read = await createItem(account, place, { id: '..', pk: 1 })
    await expect(deleteItem(account, place, read)).rejects.toThrow("cannot send a request for the name '..'")
  })

  it('finds items without a value at the path of the partition key, and with null there', async () => {
    for (const item of [{ id: 'missing' }, { id: 'null', pk: null }]) {
      expect(await readItem(account, place, await createItem(account, place, item))).toMatchObject(item)
    }
  })

  it('gets the merged rows of all ranges in order, page by page, with a charge and a plan', async () => {
    for (const number of [3, 1, 4, 2, 5]) await createItem(account, place, { id: `${number}`, pk: number })
    const query = { text: 'SELECT VALUE c.pk FROM c WHERE c.pk > @least ORDER BY c.pk DESC', pageSize: 3 }
    const asked = { ...query, parameters: [{ name: '@least', value: 1 }] }
    const first = await readPage(account, place, asked)
    expect(first.rows).toEqual([5, 4, 3])
    expect(first.charge).toBeGreaterThan(0)
    const used = { kind: 'used', paths: '/pk/?' }
    expect(indexFactsIn(first.indexAdvice ?? '')).toMatchObject([used])
    const second = await readPage(account, place, { ...asked, continuation: first.continuation })
    expect(second.rows).toEqual([2])
    expect(await readPlan(account, place, asked)).toMatchObject({ queryInfo: { orderBy: ['Descending'] } })
  })

  it('counts the items of each range, and splits and merges ranges', async () => {
    for (let number = 0; number < 20; number += 1)
      await createItem(account, place, { id: `${number}`, pk: number })
    const [first, second] = await readRanges(account, place)
    expect((first?.documents ?? 0) + (second?.documents ?? 0)).toBe(20)
    await splitRange(account, place, first?.id ?? '')
    const [left, right] = (await readRanges(account, place)).filter(({ id }) => id !== second?.id)
    expect((left?.documents ?? 0) + (right?.documents ?? 0)).toBe(first?.documents)
    await mergeRanges(account, place, [left?.id ?? '', right?.id ?? ''])
    expect(await readRanges(account, place)).toHaveLength(2)
  })

  it('follows the change feed across splits and merges', async () => {
    const tail = new FeedTail(account, place, 'beginning')
    const nextIds = async (): Promise<unknown[]> =>
      (await tail.next()).map(({ item }) => (item as { id: unknown }).id).sort()
    await createItem(account, place, { id: '1', pk: 1 })
    expect(await nextIds()).toEqual(['1'])
    const [range] = await readRanges(account, place)
    const [left, right] = (await splitRange(account, place, range?.id ?? '')) as { id: string }[]
    for (let number = 2; number < 9; number += 1)
      await createItem(account, place, { id: `${number}`, pk: number })
    expect(await nextIds()).toEqual(['2', '3', '4', '5', '6', '7', '8'])
    await mergeRanges(account, place, [left?.id ?? '', right?.id ?? ''])
    await createItem(account, place, { id: '9', pk: 9 })
    expect(await nextIds()).toContain('9')
    expect(await nextIds()).toEqual([])
  })

  it('follows deletes if the container keeps all versions', async () => {
    const created = await account.call({
      method: 'POST',
      segments: ['dbs', 'shop', 'colls'],
      body: { id: 'kept', partitionKey: { paths: ['/pk'] }, changeFeedPolicy: { retentionDuration: 10 } },
    })
    const kept = { database: 'shop', container: 'kept', definition: created.body as unknown }
    const tail = new FeedTail(account, kept, 'now')
    expect(await tail.next()).toEqual([])
    await deleteItem(account, kept, await createItem(account, kept, { id: '1', pk: 1 }))
    expect(await tail.next()).toMatchObject([
      { operation: 'create', item: { id: '1' } },
      { operation: 'delete', item: { id: '1' } },
    ])
  })

  it('is not affected by faults, which still affect other clients', async () => {
    emulator.faults.add({ status: 503, times: 1 })
    await createItem(account, place, { id: '1', pk: 1 })
    expect(emulator.faults.list()).toMatchObject([{ fired: 0 }])
    expect((await get(emulator.endpoint, '/dbs')).status).toBe(503)
  })

  it('asks once for the key if the account has another key, and then repeats the refused requests', async () => {
    let asked = 0
    const askKey = async (): Promise<string> => {
      asked += 1
      return emulator.key
    }
    const other = accountOf(emulator, 'c2VjcmV0', askKey as never)
    const trees = await Promise.all([readTree(other), readTree(other)])
    expect(trees.map((tree) => tree.map(({ id }) => id))).toEqual([['shop'], ['shop']])
    expect(asked).toBe(1)
  })
})
