import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Blob {
  readonly content: Buffer
  readonly metadata: Readonly<Record<string, string>>
}

/** The part of the REST interface of Azure Blob Storage that a payload store uses. */
export interface FakeBlobs {
  readonly connectionString: string
  readonly blobs: Map<string, Blob>
  /** The status with which the next requests are refused. */
  readonly refusals: number[]
  close(): Promise<void>
}

const modified = new Date(Date.UTC(2026, 0, 1)).toUTCString()
const answerHeaders = { etag: '"1"', 'last-modified': modified, 'x-ms-version': '2025-01-05' }

export async function startFakeBlobs(): Promise<FakeBlobs> {
  const blobs = new Map<string, Blob>()
  const refusals: number[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://localhost')
      const name = decodeURIComponent(url.pathname.split('/').slice(3).join('/'))
      const answer = (
        status: number,
        body: Buffer | string = '',
        headers: Record<string, string> = {},
      ): void => {
        response.writeHead(status, { ...answerHeaders, ...headers }).end(body)
      }
      const refusal = refusals.shift()
      if (refusal !== undefined) {
        answer(refusal, '', { 'x-ms-error-code': 'Refused' })
        return
      }
      const found = blobs.get(name)
      if (request.method === 'PUT') {
        const metadata = Object.entries(request.headers).flatMap(([header, value]) =>
          header.startsWith('x-ms-meta-') ? [[header.slice('x-ms-meta-'.length), String(value)]] : [],
        )
        blobs.set(name, {
          content: Buffer.concat(chunks),
          metadata: Object.fromEntries(metadata) as Record<string, string>,
        })
        answer(201)
      } else if (url.searchParams.get('comp') === 'list') {
        answer(200, listOf(blobs), { 'content-type': 'application/xml' })
      } else if (found === undefined) {
        answer(404, '', { 'x-ms-error-code': 'BlobNotFound' })
      } else if (request.method === 'DELETE') {
        blobs.delete(name)
        answer(202)
      } else {
        const length = String(found.content.length)
        const body = request.method === 'HEAD' ? '' : found.content
        const part = { 'content-range': `bytes 0-${found.content.length - 1}/${length}` }
        answer(request.headers['x-ms-range'] === undefined ? 200 : 206, body, {
          'content-length': length,
          'x-ms-blob-type': 'BlockBlob',
          ...part,
        })
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const key = Buffer.from('key').toString('base64')
  return {
    blobs,
    refusals,
    connectionString:
      `DefaultEndpointsProtocol=http;AccountName=fake;AccountKey=${key};` +
      `BlobEndpoint=http://127.0.0.1:${port}/fake;`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function listOf(blobs: ReadonlyMap<string, Blob>): string {
  const entries = [...blobs].map(([name, { content, metadata }]) => {
    const pairs = Object.entries(metadata).map(([key, value]) => `<${key}>${value}</${key}>`)
    const properties = `<Last-Modified>${modified}</Last-Modified><Etag>1</Etag><Content-Length>${content.length}</Content-Length>`
    return `<Blob><Name>${name}</Name><Properties>${properties}</Properties><Metadata>${pairs.join('')}</Metadata></Blob>`
  })
  return (
    '<?xml version="1.0" encoding="utf-8"?><EnumerationResults ContainerName="payloads"><Blobs>' +
    `${entries.join('')}</Blobs><NextMarker/></EnumerationResults>`
  )
}
