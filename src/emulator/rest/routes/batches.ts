import {
  badRequest,
  contains,
  isJsonObject,
  limits,
  lookupCharge,
  parsePartitionKey,
  partitionKeyOf,
  Refusal,
  substatus,
  tooLarge,
  totalCharge,
  type BatchResult,
  type Container,
  type ItemOperation,
  type JsonObject,
  type OperationResult,
  type PartitionKey,
  type PhysicalPartition,
  type WriteConditions,
} from '../../engine/index.js'
import { header, isSet, type Answer, type RestRequest } from '../../messages/rest-message.js'
import { bodyJson, keyOf, partitionHeaders } from './context.js'
import { parsePatch } from './patches.js'

/** Answers an atomic batch of one partition key, or a bulk request of independent operations in one range. */
export function routeBatch(request: RestRequest, container: Container): Answer {
  const bytes = Buffer.byteLength(request.body)
  if (bytes > limits.batchBytes) throw tooLarge('the batch', bytes, limits.batchBytes)
  const operations = bodyJson(request)
  if (!Array.isArray(operations)) throw badRequest('A batch must be a JSON array of operations.')
  const isShown = request.headers['prefer'] !== 'return=minimal'
  const batch = { request, container, isShown, inputs: operations.map(parseInput) }
  return isSet(request, header.isBatchAtomic) ? atomicBatch(batch) : bulk(batch)
}

interface Input {
  readonly fields: JsonObject
  readonly kind: ItemOperation['kind']
}

interface Batch {
  readonly request: RestRequest
  readonly container: Container
  /** Whether the answer contains the written documents. */
  readonly isShown: boolean
  readonly inputs: readonly Input[]
}

const operationKinds: Readonly<Record<string, ItemOperation['kind']>> = {
  Create: 'create',
  Upsert: 'upsert',
  Read: 'read',
  Replace: 'replace',
  Delete: 'delete',
  Patch: 'patch',
}

function parseInput(operation: unknown): Input {
  if (!isJsonObject(operation)) throw badRequest('An operation of a batch must be a JSON object.')
  const name = operation['operationType']
  const kind =
    typeof name === 'string' && Object.hasOwn(operationKinds, name) ? operationKinds[name] : undefined
  if (kind === undefined) {
    throw badRequest(
      `The operation type ${JSON.stringify(name)} is not one of ${Object.keys(operationKinds).join(', ')}.`,
    )
  }
  return { fields: operation, kind }
}

function atomicBatch({ request, container, isShown, inputs }: Batch): Answer {
  const key = keyOf(request, container)
  if (key === undefined) throw badRequest(`A batch must name its partition key in ${header.partitionKey}.`)
  const result = committed(container, key, inputs)
  const entries =
    result.kind === 'committed'
      ? result.results.map((one) => succeeded(one, isShown))
      : inputs.map((_, index) => (index === result.failedAt ? failed(result.refusal) : failedDependency))
  return {
    status: result.kind === 'committed' ? 200 : 207,
    body: `[${entries.join(',')}]`,
    charge: result.charge,
    headers: partitionHeaders(container, container.locate(key).partition),
  }
}

/** Commits a batch. An operation that cannot be read fails like an operation that cannot be applied. */
function committed(container: Container, key: PartitionKey, inputs: readonly Input[]): BatchResult {
  const operations: ItemOperation[] = []
  for (const input of inputs) {
    try {
      operations.push(toOperation(input, container))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { kind: 'rolledBack', failedAt: operations.length, refusal: error, charge: lookupCharge }
    }
  }
  return container.batch(key, operations)
}

function bulk({ request, container, isShown, inputs }: Batch): Answer {
  const rangeId = request.headers[header.rangeId]
  if (rangeId === undefined) throw badRequest(`A bulk request must name its range in ${header.rangeId}.`)
  const partition = container.partitionById(rangeId)
  if (inputs.length > limits.batchOperations) {
    throw badRequest(
      `A bulk request has ${inputs.length} operations; the limit is ${limits.batchOperations}.`,
    )
  }
  const isContinued = isSet(request, header.isContinuedOnError)
  const entries: string[] = []
  const results: OperationResult[] = []
  let failures = 0
  let answerBytes = 0
  for (const input of inputs) {
    if (failures > 0 && !isContinued) {
      entries.push(failedDependency)
      continue
    }
    try {
      const result = container.execute(keyWithin(partition, input, container), toOperation(input, container))
      results.push(result)
      const entry = succeeded(result, isShown)
      answerBytes += Buffer.byteLength(entry)
      if (input.kind === 'read' && answerBytes > limits.responseBytes && entries.length > 0)
        throw answerTooLarge
      entries.push(entry)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      failures += 1
      entries.push(failed(error))
    }
  }
  return {
    status: failures === 0 ? 200 : 207,
    body: `[${entries.join(',')}]`,
    charge: totalCharge(results),
    headers: partitionHeaders(container, partition),
  }
}

/**
 * Returns the partition key of an operation. Refuses a key outside the range, so that a client with an
 * outdated range sends the operation to the right range.
 */
function keyWithin(partition: PhysicalPartition, input: Input, container: Container): PartitionKey {
  const key = bulkKey(input, container)
  const { keyText, epk } = container.locate(key)
  if (contains(partition.range, epk)) return key
  throw new Refusal(
    410,
    `The partition key ${keyText.slice(0, 100)} is not in the range '${partition.id}'. Read the ` +
      'ranges again.',
    substatus.partitionKeyRangeGone,
  )
}

function bulkKey({ fields }: Input, container: Container): PartitionKey {
  const { partitionKey } = container.definition
  const text = fields['partitionKey']
  if (typeof text === 'string') return parsePartitionKey(text, partitionKey)
  const body = fields['resourceBody']
  return partitionKeyOf(isJsonObject(body) ? body : {}, partitionKey)
}

function toOperation({ fields, kind }: Input, container: Container): ItemOperation {
  const conditions = conditionsOf(fields)
  const body = fields['resourceBody']
  if (kind === 'create' || kind === 'upsert') return { kind, document: asDocument(body), ...conditions }
  const id = fields['id']
  if (typeof id !== 'string') throw badRequest(`A ${kind} in a batch needs the id of its document.`)
  if (kind === 'replace') return { kind, id, document: asDocument(body), ...conditions }
  if (kind === 'patch') return { kind, id, patch: parsePatch(body, container), ...conditions }
  return { kind, id, ...conditions }
}

function asDocument(body: unknown): JsonObject {
  if (!isJsonObject(body)) throw badRequest('The resourceBody of an operation must be a JSON object.')
  return body
}

function conditionsOf(fields: JsonObject): WriteConditions {
  const { ifMatch, ifNoneMatch } = fields
  return { ifMatch: textOf(ifMatch), ifNoneMatch: textOf(ifNoneMatch) }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Refuses a read whose document does not fit into the answer. Clients then send another request for it. */
const answerTooLarge = new Refusal(
  413,
  'The answer to the bulk request is full; read this document with another request.',
  substatus.answerTooLarge,
)

const failedDependency = JSON.stringify({ statusCode: 424, requestCharge: 0 })

function failed(refusal: Refusal): string {
  return JSON.stringify({
    statusCode: refusal.status,
    ...(refusal.substatus === 0 ? {} : { subStatusCode: refusal.substatus }),
    requestCharge: 0,
    message: refusal.message,
  })
}

function succeeded({ status, charge, version }: OperationResult, isShown: boolean): string {
  const fields = JSON.stringify({
    statusCode: status,
    requestCharge: charge,
    ...(version === null ? {} : { eTag: version.etag }),
  })
  if (version === null || status === 304 || !isShown) return fields
  return `${fields.slice(0, -1)},"resourceBody":${version.fields.text}}`
}
