import type { Asked } from '../../integration/emulator/signed-request.js'
import { succeed, type Target } from './account.js'
import { definitions, documents } from './definitions.js'

/** What the account itself wrote, from which requests derive values that are almost right. */
export interface Material {
  readonly key: string
  readonly continuations: readonly string[]
  readonly tokens: readonly string[]
  readonly etags: readonly string[]
  readonly sessions: readonly string[]
  readonly rids: readonly string[]
}

/** The database that hostile requests name. The watcher has another one. */
const database = '/dbs/shop'

/** Removes all databases except one, and creates the hostile database with its documents again. */
export async function fill(target: Target, kept: string): Promise<Material> {
  const { body } = await succeed(target, { method: 'GET', path: '/dbs' })
  const { Databases } = JSON.parse(body) as { Databases: readonly { id: string; _rid: string }[] }
  for (const { id, _rid } of Databases) {
    if (id !== kept) await succeed(target, { method: 'DELETE', path: `/dbs/${_rid}` })
  }
  for (const id of ['shop', 'other']) {
    await succeed(target, { method: 'POST', path: '/dbs', body: JSON.stringify({ id }) })
  }
  const rids: string[] = []
  for (const definition of definitions) {
    const body = JSON.stringify(definition)
    const created = await succeed(target, { method: 'POST', path: `${database}/colls`, body })
    rids.push((JSON.parse(created.body) as { _rid: string })._rid)
  }
  for (const [container, batches] of Object.entries(documents())) {
    for (const batch of batches) await succeed(target, batchOf(container, batch))
  }
  return { key: target.key, rids, ...(await written(target)) }
}

function batchOf(container: string, batch: readonly object[]): Asked {
  const first = batch[0] as Readonly<Record<string, unknown>>
  const values = container === 'tree' ? [first['a'], first['b'], first['c'] ?? {}] : [first['pk']]
  const hasNull = container === 'tree' && first['c'] === null
  const key = JSON.stringify(hasNull ? [first['a'], first['b'], null] : values)
  return {
    method: 'POST',
    path: `${database}/colls/${container}/docs`,
    headers: {
      'x-ms-documentdb-partitionkey': key,
      'x-ms-cosmos-is-batch-request': 'true',
      'x-ms-cosmos-batch-atomic': 'true',
    },
    body: JSON.stringify(batch.map((resourceBody) => ({ operationType: 'Create', resourceBody }))),
  }
}

const queries = [
  'SELECT * FROM c',
  'SELECT c.id FROM c ORDER BY c.n',
  'SELECT DISTINCT c.s FROM c',
  'SELECT c.id FROM c JOIN t IN c.m',
  'SELECT c.id FROM c OFFSET 3 LIMIT 100',
  'SELECT c.pk, COUNT(1) AS n FROM c GROUP BY c.pk',
]

/** Reads tokens that the account wrote: continuations, resource tokens, etags and session tokens. */
async function written(target: Target): Promise<Omit<Material, 'key' | 'rids'>> {
  const docs = `${database}/colls/items/docs`
  const page = { 'x-ms-max-item-count': '2', 'x-ms-documentdb-partitionkeyrangeid': '0' }
  const feed = await succeed(target, { method: 'GET', path: docs, headers: page })
  const continuations = [feed.headers['x-ms-continuation'] ?? '']
  for (const query of queries) {
    const headers = { ...page, 'x-ms-documentdb-isquery': 'true', 'content-type': 'application/query+json' }
    const body = JSON.stringify({ query })
    const answer = await succeed(target, { method: 'POST', path: docs, headers, body })
    continuations.push(answer.headers['x-ms-continuation'] ?? '')
  }
  const { Documents } = JSON.parse(feed.body) as { Documents: readonly { _etag: string }[] }
  return {
    continuations: continuations.filter((text) => text !== ''),
    tokens: await resourceTokens(target),
    etags: Documents.map(({ _etag }) => _etag),
    sessions: [feed.headers['x-ms-session-token'] ?? ''],
  }
}

async function resourceTokens(target: Target): Promise<readonly string[]> {
  const users = `${database}/users`
  await succeed(target, { method: 'POST', path: users, body: '{"id":"ada"}' })
  const permissions = [
    { id: 'all', permissionMode: 'All', resource: 'dbs/shop/colls/items' },
    { id: 'read', permissionMode: 'Read', resource: 'dbs/shop/colls/strict' },
    {
      id: 'key',
      permissionMode: 'All',
      resource: 'dbs/shop/colls/search',
      resourcePartitionKey: ['k1'],
    },
  ]
  const tokens: string[] = []
  for (const permission of permissions) {
    const body = JSON.stringify(permission)
    const answer = await succeed(target, { method: 'POST', path: `${users}/ada/permissions`, body })
    tokens.push((JSON.parse(answer.body) as { _token: string })._token)
  }
  return tokens
}
