import type { Container, Database } from '@azure/cosmos'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAccount } from '../../../src/emulator/doors/account.js'
import { wellKnownKey } from '../../../src/emulator/doors/account-key.js'
import { createInProcessCosmos, type InProcessCosmos } from '../../../src/emulator/index.js'
import { signed } from './signed-request.js'

const keyPaths = (...paths: readonly string[]): object => ({
  partitionKey: { paths, ...(paths.length > 1 ? { kind: 'MultiHash', version: 2 } : {}) },
})
const indexing = (indexingPolicy: object): object => ({ partitionKey: '/pk', indexingPolicy })
const fullText = (path: object, more: object = {}): object => ({
  partitionKey: '/pk',
  fullTextPolicy: { defaultLanguage: 'en-US', fullTextPaths: [path], ...more },
})
const embedding = { path: '/v', dataType: 'float32', dimensions: 600, distanceFunction: 'cosine' }
const vector = (changes: object, ...vectorIndexes: readonly object[]): object => ({
  ...indexing({ vectorIndexes }),
  vectorEmbeddingPolicy: { vectorEmbeddings: [{ ...embedding, ...changes }] },
})
const english = { path: '/text', language: 'en-US' }

/** Definitions that the service refuses with 400, each with words of the service's text. */
const refused: readonly (readonly [string, object])[] = [
  ["path '/id ds' could not be accepted, failed near position '4'", keyPaths('/id ds')],
  ["path '/a/*' could not be accepted, failed near position '3'", keyPaths('/a/*')],
  ["path '/a/' could not be accepted, failed near position '3'", keyPaths('/a/')],
  ["path 'id' could not be accepted, failed near position '0'", keyPaths('id', '/other')],
  ["path '' could not be accepted", keyPaths('', '/other')],
  ['names the path /a twice', keyPaths('/a', '/a')],
  ['with 4 path(s) is not possible', keyPaths('/a', '/b', '/c', '/d')],
  ['The special mandatory indexing path', indexing({ includedPaths: [{ path: '/a/?' }] })],
  ['The special mandatory indexing path', indexing({ excludedPaths: [{ path: '/a/?' }] })],
  ['must have at least 2 paths', indexing({ compositeIndexes: [[{ path: '/a' }]] })],
  ['was specified more than once', indexing({ compositeIndexes: [[{ path: '/a' }, { path: '/a' }]] })],
  ['The spatial index', indexing({ spatialIndexes: [{ path: '/a/?', types: ['Circle'] }] })],
  ['The indexing path', indexing({ includedPaths: [{ path: '/a' }, { path: '/*' }] })],
  ["vector2 not matching in Embedding's path", vector({}, { path: '/vector2', type: 'flat' })],
  ['Index Type::notFlat is invalid', vector({}, { path: '/v', type: 'notFlat' })],
  ['more than the maximum supported value of 505', vector({}, { path: '/v', type: 'flat' })],
  [
    'QuantizationByteSize value :: 0 is out of range',
    vector({}, { path: '/v', type: 'diskANN', quantizationByteSize: 0 }),
  ],
  [
    'IndexingSearchListSize value :: 5 is out of range',
    vector({}, { path: '/v', type: 'diskANN', indexingSearchListSize: 5 }),
  ],
  ['Vector Embedding Policy has an invalid DataType', vector({ dataType: 'float33' })],
  [
    'Vector Embedding Policy has Dimensions:8000 which is more than the maximum',
    vector({ dimensions: 8000 }),
  ],
  ['The Vector Embedding Policy has Dimensions:-1', vector({ dimensions: -1 })],
  ['has an invalid DistanceFunction:handMeasured', vector({ distanceFunction: 'handMeasured' })],
  ['The Vector Embedding Policy has an invalid Path:/a/[]/v', vector({ path: '/a/[]/v' })],
  ['The Full Text Policy contains an invalid Path: text', fullText({ ...english, path: 'text' })],
  ['The Full Text Policy contains invalid syntax', fullText({ path: '/text' })],
  ['unsupported language spa-SPA. Supported languages are:', fullText({ ...english, language: 'spa-SPA' })],
  ['unsupported language {"toString":1}', fullText({ ...english, language: { toString: 1 } })],
  ['unsupported language ["en-US"]', fullText(english, { defaultLanguage: ['en-US'] })],
  ['an invalid Path: {"toString":1}', fullText({ ...english, path: { toString: 1 } })],
  ['path::["/v"] not matching', vector({}, { path: ['/v'], type: 'quantizedFlat' })],
  ['The spatial index', indexing({ spatialIndexes: [{ path: '/a/?', types: [['Point']] }] })],
  ['The spatial index', indexing({ spatialIndexes: [{ path: '/a/?', types: [{ toString: 1 }] }] })],
  ['The indexingMode is {"toString":1}', indexing({ indexingMode: { toString: 1 } })],
  ['unsupported language xx. Supported', fullText(english, { defaultLanguage: 'xx' })],
  [
    'does not match the path specified in the Full Text Policy',
    indexing({ fullTextIndexes: [{ path: '/x' }] }),
  ],
  ['index specification at index (0) contains invalid path', indexing({ fullTextIndexes: [{ path: 'x' }] })],
  ['Missing path in full-text index specification', indexing({ fullTextIndexes: [{ not: 'x' }] })],
  [
    'A unique key must have 1 to 16 paths',
    { partitionKey: '/pk', uniqueKeyPolicy: { uniqueKeys: [{ paths: [] }] } },
  ],
]

describe('the definition of a container', () => {
  let cosmos: InProcessCosmos
  let database: Database
  let container: Container

  beforeAll(async () => {
    cosmos = createInProcessCosmos()
    database = (await cosmos.client().databases.create({ id: 'shop' })).database
    container = await create('plain', { partitionKey: '/pk' })
  })

  afterAll(() => cosmos.close())

  async function create(id: string, definition: object): Promise<Container> {
    return (await database.containers.create({ id, ...definition })).container
  }

  it.each(refused)('is refused if it is invalid: %s (%#)', async (words, definition) => {
    const error: unknown = await create('refused', definition).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 400, message: expect.stringContaining(words) as string })
  })

  it('keeps its vector and full-text policies, and refuses to change a vector path', async () => {
    const definition = {
      ...vector({}, { path: '/v', type: 'quantizedFlat', quantizationByteSize: 8 }),
      fullTextPolicy: { defaultLanguage: 'en-US', fullTextPaths: [english] },
    }
    const searched = await create('searched', definition)
    const { resource } = await searched.read()
    expect(resource).toMatchObject({ ...definition, partitionKey: { paths: ['/pk'] } })
    const changed: unknown = { ...resource, ...vector({ dimensions: 3 }), partitionKey: { paths: ['/pk'] } }
    await expect(searched.replace(changed as never)).rejects.toMatchObject({
      code: 400,
      message: expect.stringContaining('cannot be modified in Collection Replace') as string,
    })
    const without: unknown = {
      ...resource,
      ...indexing({}),
      vectorEmbeddingPolicy: undefined,
      partitionKey: { paths: ['/pk'] },
    }
    expect((await searched.replace(without as never)).resource).not.toHaveProperty('vectorEmbeddingPolicy')
  })

  it('is refused with 501 if it names a language that only the service supports', async () => {
    const german = create('german', fullText({ path: '/text', language: 'de-DE' }))
    await expect(german).rejects.toMatchObject({ code: 501 })
  })

  it('needs a name without ? and without a space at its end', async () => {
    for (const id of ['a?b', 'a ']) {
      await expect(database.containers.create({ id, partitionKey: '/pk' })).rejects.toThrow()
      const body = { id, partitionKey: { paths: ['/pk'] } }
      expect(() => cosmos.engine.createContainer('shop', body)).toThrow(/resource name/u)
    }
  })

  it('allows documents whose ids have a ? or end with a space, as the service does', async () => {
    for (const id of ['a?b', 'a ', ' a']) {
      expect((await container.items.create({ id, pk: 'k' })).statusCode).toBe(201)
      expect(
        (await container.items.query(`SELECT VALUE c.id FROM c WHERE c.id = "${id}"`).fetchAll()).resources,
      ).toEqual([id])
    }
    // The JavaScript client does not encode a ? in a path, so a raw request reads the document.
    const account = openAccount({}, wellKnownKey)
    account.engine.createDatabase('shop')
    const store = account.engine.createContainer('shop', { id: 'c', partitionKey: { paths: ['/pk'] } })
    store.execute(['k'], { kind: 'create', document: { id: 'a?b', pk: 'k' } })
    const headers = { 'x-ms-documentdb-partitionkey': '["k"]' }
    const path = '/dbs/shop/colls/c/docs/a%3Fb'
    const answer = await account.respond(signed({ method: 'GET', path, headers }, wellKnownKey))
    expect(answer).toMatchObject({ status: 200, body: expect.stringContaining('"id":"a?b"') as string })
  })

  it('refuses documents whose ids have a slash, a backslash or a #', () => {
    const store = cosmos.engine.container('shop', 'plain')
    for (const id of ['a/b', 'a\\b', 'a#b']) {
      const document = { id, pk: 'k' }
      expect(() => store.execute(['k'], { kind: 'create', document })).toThrow(/invalid character/u)
    }
  })

  it('refuses documents with an invalid time to live', async () => {
    for (const ttl of [null, 0, -2, '5', 1.5]) {
      const document: object = { id: 'x', pk: 'k', ttl }
      await expect(container.items.create(document)).rejects.toMatchObject({ code: 400 })
    }
  })
})
