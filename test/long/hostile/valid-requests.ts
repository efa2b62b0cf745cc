import { header } from '../../../src/emulator/messages/rest-message.js'
import type { Asked } from '../../integration/emulator/signed-request.js'
import { definitions } from './definitions.js'

const docs = '/dbs/shop/colls/items/docs'
const json = (value: unknown): string => JSON.stringify(value)
const keyed = { [header.partitionKey]: '["k1"]' }
const asQuery = { [header.isQuery]: 'true', 'content-type': 'application/query+json' }
const asBatch = { ...keyed, [header.isBatch]: 'true', [header.isBatchAtomic]: 'true' }
const asBulk = {
  [header.isBatch]: 'true',
  [header.isContinuedOnError]: 'true',
  [header.rangeId]: '0',
}
const features =
  'Aggregate, CompositeAggregate, Distinct, GroupBy, MultipleOrderBy, OffsetAndLimit, OrderBy, Top'
const operations = [
  { operationType: 'Create', resourceBody: { id: 'b', pk: 'k1' }, partitionKey: '["k1"]' },
  { operationType: 'Upsert', resourceBody: { id: 'd1', pk: 'k1', n: [] }, partitionKey: '["k1"]' },
  { operationType: 'Read', id: 'd1', ifMatch: '*', partitionKey: '["k1"]' },
  { operationType: 'Replace', id: 'd13', resourceBody: { id: 'd13', pk: 'k1' }, partitionKey: '["k1"]' },
  {
    operationType: 'Patch',
    id: 'd25',
    resourceBody: { operations: [{ op: 'incr', path: '/n', value: 1 }], condition: 'from c where c.n > 0' },
    partitionKey: '["k1"]',
  },
  { operationType: 'Delete', id: 'd37', ifMatch: '"x"', partitionKey: '["k1"]' },
]

/** Requests of documents, from which the run derives hostile ones. */
const ofDocuments: readonly Asked[] = [
  { method: 'POST', path: docs, headers: keyed, body: json({ id: 'y', pk: 'k1', n: 1, ttl: 5, l: [{}] }) },
  {
    method: 'POST',
    path: docs,
    headers: { ...keyed, [header.isUpsert]: 'true', prefer: 'return=minimal' },
    body: json({ id: 'd1', pk: 'k1', g: { type: 'Point', coordinates: [1, 2] }, v: [1, 2, 3] }),
  },
  {
    method: 'POST',
    path: '/dbs/shop/colls/tree/docs',
    headers: { [header.partitionKey]: '["x",1,null]' },
    body: json({ id: 'z', a: 'x', b: 1, c: null }),
  },
  {
    method: 'POST',
    path: '/dbs/shop/colls/strict/docs',
    headers: keyed,
    body: json({ id: 'u', pk: 'k1', u: 2, n: 1, s: 'b', ttl: 100 }),
  },
  {
    method: 'POST',
    path: '/dbs/shop/colls/search/docs',
    headers: keyed,
    body: json({ id: 'w', pk: 'k1', s: 'the red bicycle', v: [1, 0.5, -1] }),
  },
  {
    method: 'PUT',
    path: `${docs}/d1`,
    headers: { ...keyed, 'if-match': '*' },
    body: '{"id":"d1","pk":"k1"}',
  },
  {
    method: 'PATCH',
    path: `${docs}/d1`,
    headers: keyed,
    body: json({
      operations: [
        { op: 'set', path: '/n', value: 1 },
        { op: 'add', path: '/l/1', value: { deep: [1] } },
        { op: 'move', from: '/n', path: '/m/0/q' },
        { op: 'remove', path: '/s' },
      ],
      condition: 'FROM c WHERE c.pk = "k1" AND c.n > 1',
    }),
  },
  { method: 'DELETE', path: `${docs}/d49`, headers: keyed },
  { method: 'GET', path: `${docs}/d1`, headers: { ...keyed, [header.sessionToken]: '0:-1#1' } },
  { method: 'POST', path: docs, headers: asBatch, body: json(operations) },
  { method: 'POST', path: docs, headers: asBulk, body: json(operations) },
  { method: 'GET', path: docs, headers: { [header.maxItemCount]: '10', [header.rangeId]: '0' } },
  {
    method: 'GET',
    path: docs,
    headers: {
      'a-im': 'Incremental Feed',
      'if-none-match': '"1"',
      [header.maxItemCount]: '10',
      [header.rangeId]: '1',
    },
  },
  {
    method: 'GET',
    path: docs,
    headers: { 'a-im': 'Full-Fidelity Feed', [header.changeFeedFormat]: '2021-09-15', [header.rangeId]: '0' },
  },
  {
    method: 'POST',
    path: '/dbs/shop/colls/items/operations/partitionkeydelete',
    headers: { [header.partitionKey]: '["none"]' },
  },
]

/** Requests with queries that each read little. */
const ofQueries: readonly Asked[] = [
  {
    method: 'POST',
    path: docs,
    headers: {
      ...asQuery,
      ...keyed,
      [header.populateIndexMetrics]: 'true',
      [header.populateQueryMetrics]: 'true',
    },
    body: json({
      query: 'SELECT TOP 3 c.id, @n AS n FROM c WHERE c.n >= @n ORDER BY c.n DESC',
      parameters: [{ name: '@n', value: 1 }],
    }),
  },
  {
    method: 'POST',
    path: docs,
    headers: {
      ...asQuery,
      [header.enableCrossPartition]: 'true',
      [header.maxItemCount]: '5',
      [header.rangeId]: '0',
    },
    body: json({ query: 'SELECT * FROM c WHERE c.s > "red"' }),
  },
  {
    method: 'POST',
    path: docs,
    headers: {
      ...asQuery,
      [header.startEpk]: '00',
      [header.endEpk]: '2AAA',
      [header.rangeId]: '0',
      [header.enableCrossPartition]: 'true',
    },
    body: json({ query: 'SELECT VALUE c.id FROM c' }),
  },
  {
    method: 'POST',
    path: docs,
    headers: { ...asQuery, [header.isQueryPlan]: 'true', [header.supportedQueryFeatures]: features },
    body: json({ query: 'SELECT c.pk, COUNT(1) AS n FROM c WHERE c.pk IN ("a", "b") GROUP BY c.pk' }),
  },
  {
    method: 'POST',
    path: '/dbs',
    headers: asQuery,
    body: json({ query: 'SELECT * FROM d WHERE d.id = "shop"' }),
  },
  { method: 'POST', path: '/offers', headers: asQuery, body: json({ query: 'SELECT * FROM o' }) },
]

/** Requests of everything that is not a document. */
const ofSettings: readonly Asked[] = [
  { method: 'GET', path: '/' },
  { method: 'GET', path: '/dbs/shop' },
  { method: 'GET', path: '/offers' },
  { method: 'POST', path: '/dbs', headers: { [header.offerThroughput]: '400' }, body: '{"id":"other"}' },
  ...definitions.map((definition): Asked => ({
    method: 'POST',
    path: '/dbs/other/colls',
    headers: { [header.autopilotSettings]: '{"maxThroughput":4000}' },
    body: json(definition),
  })),
  ...definitions.map((definition): Asked => ({
    method: 'PUT',
    path: `/dbs/shop/colls/${definition.id}`,
    body: json({ defaultTtl: -1, conflictResolutionPolicy: { mode: 'LastWriterWins' }, ...definition }),
  })),
  { method: 'GET', path: '/dbs/shop/colls/items', headers: { [header.populateQuotaInfo]: 'true' } },
  { method: 'GET', path: '/dbs/shop/colls/items/pkranges', headers: { 'a-im': 'Incremental Feed' } },
  { method: 'GET', path: '/dbs/shop/colls/items/conflicts' },
  { method: 'POST', path: '/dbs/shop/users', body: '{"id":"bob"}' },
  {
    method: 'POST',
    path: '/dbs/shop/users/ada/permissions',
    headers: { [header.expirySeconds]: '100', [header.isUpsert]: 'true' },
    body: json({
      id: 'p',
      permissionMode: 'All',
      resource: 'dbs/shop/colls/strict/docs/d1',
      resourcePartitionKey: ['k1'],
    }),
  },
  { method: 'GET', path: '/dbs/shop/users/ada/permissions/read' },
]

/** Correct requests, from which the run derives hostile ones. */
export const validRequests: readonly [Asked, ...Asked[]] = [
  { method: 'GET', path: '/dbs' },
  ...ofDocuments,
  ...ofDocuments,
  ...ofQueries,
  ...ofQueries,
  ...ofSettings,
]
