/**
 * A program that answers each method and path as the emulator at the given address answered it first. It
 * measures what a server costs that does nothing and sends answers of real size. It uses only Node's own
 * modules, so that it runs wherever it is copied.
 */
import { createServer, request as askEmulator, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Constant {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

const emulator = process.argv[2] ?? ''
const known = new Map<string, Constant>()

function read(message: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    message.on('data', (chunk: Buffer) => chunks.push(chunk))
    message.on('end', () => {
      resolve(Buffer.concat(chunks).toString('utf8'))
    })
    message.on('error', reject)
  })
}

/**
 * Forwards the client's headers unchanged, so that the emulator's own address in answers is this server's.
 */
async function learnt(
  { method = 'GET', url = '/', headers }: IncomingMessage,
  body: string,
): Promise<Constant> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    askEmulator(new URL(url, emulator), { method, headers }, resolve).on('error', reject).end(body)
  })
  const {
    connection: _connection,
    'keep-alive': _keepAlive,
    'transfer-encoding': _chunked,
    ...said
  } = answer.headers
  return {
    status: answer.statusCode ?? 500,
    headers: said as Record<string, string>,
    body: await read(answer),
  }
}

async function answerTo(request: IncomingMessage): Promise<Constant> {
  const body = await read(request)
  const name = `${request.method ?? ''} ${request.url ?? ''}`
  const answer = known.get(name)
  if (answer !== undefined) return answer
  const constant = await learnt(request, body)
  if (constant.status < 400) known.set(name, constant)
  return constant
}

const server = createServer((request, response) => {
  answerTo(request)
    .then(({ status, headers, body }) => response.writeHead(status, headers).end(body))
    .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ endpoint: `http://127.0.0.1:${port}/` })}\n`)
})
