import { segmentsOf } from './resources.js'

/**
 * @typedef {import('./account.js').Account} Account
 * @typedef {import('./resources.js').ContainerPlace} ContainerPlace
 */

/**
 * @typedef {object} Query
 * @property {string} text
 * @property {readonly { readonly name: string, readonly value: unknown }[]} [parameters]
 * @property {number} [pageSize]
 * @property {string | null} [continuation] default: the first page
 */

/**
 * One page of rows, with what the account says about it.
 *
 * @typedef {object} Page
 * @property {readonly unknown[]} rows
 * @property {string | null} continuation null after the last page
 * @property {number} charge in request units
 * @property {string | null} metrics
 * @property {string | null} indexAdvice
 */

/**
 * @param {Account} account
 * @param {ContainerPlace} place
 * @param {Query} query
 * @returns {Promise<Page>}
 */
export async function readPage(account, place, query) {
  const { continuation = null } = query
  const { body, header } = await account.call({
    ...request(place, query),
    headers: {
      ...queryHeaders,
      'x-ms-documentdb-query-enablecrosspartition': 'true',
      'x-ms-documentdb-query-enable-scan': 'true',
      'x-ms-documentdb-populatequerymetrics': 'true',
      'x-ms-cosmos-populateindexmetrics': 'true',
      'x-ms-max-item-count': String(query.pageSize ?? 50),
      ...(continuation === null ? {} : { 'x-ms-continuation': continuation }),
    },
  })
  return {
    rows: body.Documents,
    continuation: header('x-ms-continuation'),
    charge: Number(header('x-ms-request-charge')),
    metrics: header('x-ms-documentdb-query-metrics'),
    indexAdvice: header('x-ms-cosmos-index-utilization'),
  }
}

/**
 * The features that a plan may need. All are named, so that the account refuses no plan for a missing
 * feature.
 */
const everyFeature =
  'Aggregate, CompositeAggregate, MultipleAggregates, Distinct, GroupBy, MultipleOrderBy, OffsetAndLimit, ' +
  'OrderBy, Top, NonValueAggregate, NonStreamingOrderBy, DCount, CountIf, HybridSearch'

/**
 * Returns the plan with which a client merges the rows of several ranges.
 *
 * @param {Account} account
 * @param {ContainerPlace} place
 * @param {Query} query
 * @returns {Promise<unknown>}
 */
export async function readPlan(account, place, query) {
  const plan = {
    'x-ms-cosmos-is-query-plan-request': 'true',
    'x-ms-cosmos-supported-query-features': everyFeature,
  }
  return (await account.call({ ...request(place, query), headers: { ...queryHeaders, ...plan } })).body
}

const queryHeaders = { 'content-type': 'application/query+json', 'x-ms-documentdb-isquery': 'true' }

/**
 * @param {ContainerPlace} place
 * @param {Query} query
 */
function request(place, { text, parameters = [] }) {
  return { method: 'POST', segments: [...segmentsOf(place), 'docs'], body: { query: text, parameters } }
}
