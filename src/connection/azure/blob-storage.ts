import {
  having,
  optional,
  readOptions,
  secretThat,
  text,
  textThat,
  type Values,
} from '../../platform/options.js'
import type { PayloadOwner, PayloadStore, StoredPayload } from '../../sas/index.js'
import { hashOf, largerThanOption } from '../../sas/internal.js'
import { credential } from './identity.js'

/** The methods of a `ContainerClient` of `@azure/storage-blob` that a payload store uses. */
export interface BlobContainer {
  getBlockBlobClient(name: string): {
    uploadData(content: Uint8Array, options?: object): Promise<unknown>
    downloadToBuffer(offset?: number, count?: number, options?: object): Promise<Uint8Array>
    deleteIfExists(): Promise<unknown>
  }
  listBlobsFlat(options: { readonly includeMetadata: true }): AsyncIterable<{
    readonly name: string
    readonly metadata?: Readonly<Record<string, string>>
    readonly properties: { readonly lastModified: Date }
  }>
}

/** The container of Azure Blob Storage that holds payloads. */
export interface BlobStorageOptions {
  /** The URL of the container, such as `https://contoso.blob.core.windows.net/payloads`. */
  readonly url?: string
  /** The connection string of the storage account, instead of `url`. */
  readonly connectionString?: string
  /** The name of the container, with `connectionString`. Default `payloads`. */
  readonly container?: string
  /** The caller's own client of the container, instead of `url` and `connectionString`. */
  readonly client?: BlobContainer
  /** Values of more bytes of JSON go to the container, 2,048 to 1,000,000. Default 65,536. */
  readonly largerThan?: number
}

const shape = {
  url: optional(textThat('a URL that begins with https://', (url) => /^https?:\/\//.test(url))),
  connectionString: optional(
    secretThat('a connection string of a storage account', (value) =>
      /(AccountName|BlobEndpoint|UseDevelopmentStorage)=/i.test(value),
    ),
  ),
  container: optional(text(), 'payloads'),
  client: optional(having<BlobContainer>('a ContainerClient of @azure/storage-blob', 'getBlockBlobClient')),
  largerThan: largerThanOption,
}

/**
 * Stores payloads in a container of Azure Blob Storage, through the package `@azure/storage-blob`, which you
 * install beside `stepward`. It is loaded with the first payload. With `url`, `@azure/identity` finds the
 * developer's login or the managed identity, which needs the role Storage Blob Data Contributor.
 *
 * @throws TypeError if an option is invalid
 */
export function blobStorage(options: BlobStorageOptions): PayloadStore {
  const { values, problems } = readOptions(shape, options)
  const { url, connectionString, client } = values
  const given = [url, connectionString, client].filter((each) => each !== undefined)
  const rule = given.length === 1 ? [] : ['blobStorage needs one of url, connectionString and client']
  const all = [...problems, ...rule]
  if (all.length > 0) throw new TypeError(all.join('; '))
  let opened: Promise<BlobContainer> | null = null
  const container = (): Promise<BlobContainer> => {
    opened ??= open(values).catch((error: unknown) => {
      opened = null
      throw error
    })
    return opened
  }
  return {
    largerThan: values.largerThan,
    put: async (owner, id, content, signal) => {
      const blob = (await container()).getBlockBlobClient(nameOf(owner, id))
      const metadata = { partition: encoded(owner.partitionKey), job: encoded(owner.jobId) }
      const aborting = signal === undefined ? {} : { abortSignal: signal }
      await blob.uploadData(content, { metadata, ...aborting })
    },
    get: async (owner, id, signal) => {
      const blob = (await container()).getBlockBlobClient(nameOf(owner, id))
      const aborting = signal === undefined ? {} : { abortSignal: signal }
      return blob.downloadToBuffer(0, undefined, aborting).catch((error: unknown) => {
        if (statusOf(error) === 404) return null
        throw error
      })
    },
    list: () => listed(container),
    remove: async (payload) => {
      await (await container()).getBlockBlobClient(nameOf(payload, payload.id)).deleteIfExists()
    },
  }
}

async function open({
  url,
  connectionString,
  container,
  client,
}: Values<typeof shape>): Promise<BlobContainer> {
  if (client !== undefined) return client
  const { ContainerClient: Client } = await import('@azure/storage-blob').catch((error: unknown) => {
    throw new Error('blobStorage needs the package @azure/storage-blob: npm install @azure/storage-blob', {
      cause: error,
    })
  })
  if (connectionString !== undefined) return new Client(connectionString, container)
  return new Client(url ?? '', await credential())
}

async function* listed(
  container: () => Promise<BlobContainer>,
): AsyncGenerator<StoredPayload, void, undefined> {
  for await (const { name, metadata, properties } of (await container()).listBlobsFlat({
    includeMetadata: true,
  })) {
    const { partition, job } = metadata ?? {}
    const id = name.split('/')[1]
    // A blob without these names is none of ours.
    if (partition === undefined || job === undefined || id === undefined) continue
    const owner = { partitionKey: decoded(partition), jobId: decoded(job) }
    yield { ...owner, id, writtenAtMs: properties.lastModified.getTime() }
  }
}

function nameOf({ partitionKey, jobId }: PayloadOwner, id: string): string {
  return `${hashOf(JSON.stringify([partitionKey, jobId]))}/${id}`
}

/** Returns a text in the characters that a header accepts. */
function encoded(text: string): string {
  return Buffer.from(text).toString('base64url')
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64url').toString('utf8')
}

function statusOf(error: unknown): unknown {
  return error instanceof Error && 'statusCode' in error ? error.statusCode : undefined
}
