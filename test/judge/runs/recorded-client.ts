import { CosmosClient, type Next, type PluginConfig } from '@azure/cosmos'
import { digestOf, ownFields, type Begun, type Recorder } from './recorder.js'

type Fields = Readonly<Record<string, unknown>>
type RequestContext = Parameters<Next<unknown>>[0]

/** Returns a client of the unmodified SDK that records its requests about documents in the history. */
export function recordedClient(store: { endpoint: string; key: string }, recorder: Recorder): CosmosClient {
  const plugin: PluginConfig = {
    on: 'request',
    plugin: (context: RequestContext, _node: unknown, next: Next<unknown>) =>
      recorded(recorder, context, next),
  }
  // The SDK calls plug-ins for every request, although its types do not declare them.
  const options = {
    ...store,
    plugins: [plugin],
    connectionPolicy: {
      enableBackgroundEndpointRefreshing: false,
      requestTimeout: 3_000,
      retryOptions: {
        maxRetryAttemptCount: 3,
        fixedRetryIntervalInMilliseconds: 0,
        maxWaitTimeInSeconds: 5,
      },
    },
  }
  return new CosmosClient(options)
}

/** A request about documents, and how to record its answer. */
interface Said {
  readonly what: 'write' | 'read' | 'query' | 'feed'
  readonly fields: Fields
  readonly ok: (answer: { result?: unknown; headers: Fields }) => Fields
}

async function recorded(recorder: Recorder, context: RequestContext, next: Next<unknown>) {
  const said = requestIn(context)
  if (said === null) return next(context)
  if (isBulk(context)) return recordedBulk(recorder, said, () => next(context))
  const begun = recorder.invoke(said.what, said.fields)
  try {
    const answer = await next(context)
    const statuses = statusesIn(answer.result)
    const refused = statuses.find((status) => status >= 400 && status !== 424)
    if (said.what === 'write' && refused !== undefined) begun.fail({ status: refused, statuses })
    else begun.ok(said.ok(answer))
    return answer
  } catch (error) {
    failed(begun, said, error)
    throw error
  }
}

/** The operations of a bulk are no transaction, so each is recorded as a request of its own. */
async function recordedBulk<A extends { result?: unknown }>(
  recorder: Recorder,
  said: Said,
  send: () => Promise<A>,
): Promise<A> {
  const { writes } = said.fields as { readonly writes: readonly Fields[] }
  const begun = writes.map((write) => recorder.invoke('write', { writes: [write] }))
  try {
    const answer = await send()
    const results = answer.result as readonly Fields[]
    for (const [index, one] of begun.entries()) {
      const code = Number(results[index]?.['statusCode'])
      if (code < 400) one.ok({ etags: [results[index]?.['eTag'] ?? null] })
      else failed(one, said, { code })
    }
    return answer
  } catch (error) {
    for (const one of begun) failed(one, said, error)
    throw error
  }
}

function isBulk({ headers = {} }: RequestContext): boolean {
  return (
    headers['x-ms-cosmos-is-batch-request'] !== undefined &&
    String(headers['x-ms-cosmos-batch-atomic']) !== 'true'
  )
}

function failed(begun: Begun, { what }: Said, error: unknown): void {
  const { code, substatus } = error as { code?: unknown; substatus?: unknown }
  const isAnswer = typeof code === 'number'
  if (what === 'read' && code === 404 && substatus !== 1002) begun.ok({ documents: [] })
  else if (isAnswer && (code < 500 || code === 501) && code !== 408) begun.fail({ status: code })
  else begun.info({ why: String(isAnswer ? code : (code ?? error)) })
}

function requestIn({ path = '', headers = {}, body, ...request }: RequestContext): Said | null {
  const method: string = request.method
  const operation: string | undefined = request.operationType
  const [, container, id] = /^\/?dbs\/[^/]+\/colls\/([^/]+)\/docs(?:\/([^/]+))?\/?$/.exec(path) ?? []
  if (container === undefined) return null
  const named = { container: decodeURIComponent(container) }
  const whole = (answer: { result?: unknown }): Fields => ({
    documents: documentsIn(answer.result).map((one) => seen(named.container, one)),
  })
  if (headers['x-ms-cosmos-is-batch-request'] !== undefined) return batch(named.container, body)
  // The SDK gives requests for the change feed the operation type of a query, too.
  if (headers['A-IM'] !== undefined) return feed(named.container, headers, whole)
  if (operation === 'query' || String(headers['Content-Type']).includes('query')) {
    return { what: 'query', fields: named, ok: whole }
  }
  if (method === 'GET' && id !== undefined) {
    return { what: 'read', fields: { ...named, id: decodeURIComponent(id) }, ok: whole }
  }
  const kind = kindOf(method, headers)
  const value = typeof body === 'string' && body !== '' ? (JSON.parse(body) as Fields) : {}
  const write = asked(named.container, {
    kind,
    value,
    id: id === undefined ? value['id'] : decodeURIComponent(id),
    ifMatch: headers['If-Match'] ?? headers['if-match'],
  })
  return {
    what: 'write',
    fields: { writes: [write] },
    ok: ({ result, headers: told }) => ({
      etags: [(result as Fields | null)?.['_etag'] ?? told['etag'] ?? null],
    }),
  }
}

function kindOf(method: string, headers: Fields): string {
  if (method === 'POST') return headers['x-ms-documentdb-is-upsert'] === undefined ? 'create' : 'upsert'
  return ({ PUT: 'replace', DELETE: 'delete', PATCH: 'patch' } as Record<string, string>)[method] ?? method
}

function batch(container: string, body: unknown): Said {
  const operations = JSON.parse(String(body)) as Fields[]
  const writes = operations.map(({ operationType, resourceBody, id, ifMatch }) => {
    const value = (resourceBody ?? {}) as Fields
    return asked(container, {
      kind: String(operationType).toLowerCase(),
      value,
      id: id ?? value['id'],
      ifMatch,
    })
  })
  return {
    what: 'write',
    fields: { writes },
    ok: ({ result }) => ({ etags: (result as Fields[]).map(({ eTag }) => eTag ?? null) }),
  }
}

function feed(container: string, headers: Fields, whole: Said['ok']): Said {
  const range = headers['x-ms-documentdb-partitionkeyrangeid'] ?? null
  const from = headers['If-None-Match'] ?? headers['if-none-match'] ?? null
  const min = headers['x-ms-start-epk'] ?? null
  const max = headers['x-ms-end-epk'] ?? null
  return {
    what: 'feed',
    fields: { container, range, min, max, from },
    ok: (answer) => ({ ...whole(answer), next: answer.headers['etag'] ?? null }),
  }
}

function asked(
  container: string,
  { kind, value, id, ifMatch }: { kind: string; value: Fields; id: unknown; ifMatch: unknown },
): Fields {
  return { kind, container, id, ifMatch: ifMatch ?? null, digest: digestOf(value), value: ownFields(value) }
}

function documentsIn(result: unknown): readonly Fields[] {
  if (typeof result !== 'object' || result === null) return []
  const { Documents: list } = result as { Documents?: readonly unknown[] }
  const found = list ?? [result]
  return found.filter((one): one is Fields => typeof one === 'object' && one !== null && '_etag' in one)
}

function seen(container: string, document: Fields): Fields {
  const { id, _etag: etag, _lsn: lsn } = document
  return { container, id, etag, digest: digestOf(document), ...(lsn === undefined ? {} : { lsn }) }
}

/** Returns the statuses of a transaction's operations. */
function statusesIn(result: unknown): readonly number[] {
  if (!Array.isArray(result)) return []
  return result.map((one: Fields) => Number(one['statusCode']))
}
