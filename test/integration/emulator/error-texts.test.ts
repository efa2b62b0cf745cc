import { beforeEach, describe, expect, it } from 'vitest'
import { openAccount, type Account } from '../../../src/emulator/doors/account.js'
import { wellKnownKey } from '../../../src/emulator/doors/account-key.js'
import { signed, type Asked } from './signed-request.js'

const docs = '/dbs/shop/colls/orders/docs'
const key = { 'x-ms-documentdb-partitionkey': '["k"]' }
const body = (document: object): string => JSON.stringify(document)
const item = `${docs}/a`
const patch = (...operations: readonly object[]): Asked => ({
  method: 'PATCH',
  path: item,
  headers: key,
  body: body(operations),
})
const first = { op: 'set', path: '/n', value: 1 }

/** Requests that are refused, each with the status, the sub-status and the text that clients look for. */
const refused: readonly (readonly [string, number, number, Asked])[] = [
  [
    'Entity with the specified id already exists in the system.',
    409,
    0,
    { method: 'POST', path: docs, headers: key, body: body({ id: 'a', pk: 'k' }) },
  ],
  [
    'Entity with the specified id does not exist in the system.',
    404,
    0,
    { method: 'GET', path: `${docs}/b`, headers: key },
  ],
  [
    'Entity with the specified id does not exist in the system.',
    404,
    1003,
    { method: 'GET', path: '/dbs/shop/colls/none/docs/a', headers: key },
  ],
  [
    'one of the specified precondition is not met',
    412,
    0,
    { method: 'DELETE', path: item, headers: { ...key, 'if-match': '"other"' } },
  ],
  [
    'Request size is too large',
    413,
    0,
    { method: 'POST', path: docs, headers: key, body: body({ id: 'b', pk: 'k', text: 'x'.repeat(2 ** 21) }) },
  ],
  [
    "PartitionKey extracted from document doesn't match the one specified in the header",
    400,
    1001,
    { method: 'POST', path: docs, headers: key, body: body({ id: 'b', pk: 'other' }) },
  ],
  [
    'header has more components than defined in the collection',
    400,
    1001,
    { method: 'GET', path: item, headers: { 'x-ms-documentdb-partitionkey': '["k","l"]' } },
  ],
  [
    "PartitionKeyRange with id '7' in this collection doesn't exist",
    410,
    1002,
    { method: 'GET', path: docs, headers: { 'x-ms-documentdb-partitionkeyrangeid': '7' } },
  ],
  [
    'The input PageSize 0 is invalid.',
    400,
    0,
    { method: 'GET', path: docs, headers: { 'x-ms-max-item-count': '0' } },
  ],
  [
    'Invalid Continuation Token',
    400,
    0,
    { method: 'GET', path: docs, headers: { 'x-ms-continuation': '[]' } },
  ],
  [
    'Invalid Continuation Token',
    400,
    0,
    { method: 'GET', path: docs, headers: { 'x-ms-continuation': '{"after":0,"in":1,"rows":-2}' } },
  ],
  ['The number of patch operations cannot exceed 10', 400, 0, patch(...Array<object>(11).fill(first))],
  [
    'Invalid patch request: Cannot patch system property _ts.',
    400,
    0,
    patch({ op: 'set', path: '/_ts', value: 1 }),
  ],
  [
    'For Operation(2): Node(/b) to be removed is absent. Note: it may also have been removed earlier in the ' +
      'transaction.',
    400,
    0,
    patch(first, { op: 'remove', path: '/b' }),
  ],
  [
    'For Operation(1): Node(/b) to be replaced is absent.',
    400,
    0,
    patch({ op: 'replace', path: '/b', value: 1 }),
  ],
  [
    'For Operation(1): Node(/pair/text) is not a number.',
    400,
    0,
    patch({ op: 'incr', path: '/pair/text', value: 1 }),
  ],
  [
    'For Operation(1): Index(3) to operate on is out of array bounds.',
    400,
    0,
    patch({ op: 'add', path: '/list/3', value: 1 }),
  ],
  [
    'For Operation(1): Add Operation can only create a child object of an existing node(array or object) and ' +
      "cannot create path recursively, no path found beyond: 'b'.",
    400,
    0,
    patch({ op: 'add', path: '/pair/b/c/d', value: 1 }),
  ],
  [
    'For Operation(1): Given Operation can only create a child object of an existing node(array or object) and ' +
      "cannot create path recursively, no path found beyond: 'b'.",
    400,
    0,
    patch({ op: 'replace', path: '/pair/b/c', value: 1 }),
  ],
  [
    'one of the specified precondition is not met',
    412,
    0,
    { ...patch(), body: body({ condition: 'from c where c.n = 2', operations: [first] }) },
  ],
  ['Request url is invalid.', 400, 0, { method: 'GET', path: '/nothing' }],
  [
    "The input authorization token can't serve the request.",
    401,
    0,
    { method: 'GET', path: '/dbs', signedAs: 'PUT' },
  ],
  [
    'Required Header authorization is missing.',
    401,
    0,
    { method: 'GET', path: '/dbs', headers: { authorization: '' } },
  ],
]

describe('an error has the text that clients of the service look for:', () => {
  let account: Account

  beforeEach(() => {
    account = openAccount({}, wellKnownKey)
    account.engine.createDatabase('shop')
    const definition = { id: 'orders', partitionKey: { paths: ['/pk'] } }
    const container = account.engine.createContainer('shop', definition)
    const document = { id: 'a', pk: 'k', pair: { text: 't' }, list: [1] }
    container.execute(['k'], { kind: 'create', document })
  })

  it.each(refused)('%s (%i/%i)', async (words, status, substatus, asked) => {
    const answer = await account.respond(signed(asked, wellKnownKey))
    expect([answer.status, answer.headers['x-ms-substatus']]).toEqual([status, String(substatus)])
    expect((JSON.parse(answer.body) as { message: string }).message).toContain(words)
  })
})
