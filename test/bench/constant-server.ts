import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openAccount } from '../../src/emulator/account.js'
import type { RestResponse } from '../../src/emulator/rest-message.js'

/** A server, by the address that clients are given. */
export interface ConstantServer {
  readonly endpoint: string
  close(): Promise<void>
}

/**
 * Answers each method and path as it was answered the first time, without looking at anything else: what a server costs
 * that does nothing. It learns by asking an emulator, so its answers are as large as real ones.
 */
export async function startConstantServer(key: string): Promise<ConstantServer> {
  const account = openAccount({}, key)
  const known = new Map<string, RestResponse>()
  const answerTo = async (request: IncomingMessage, body: string): Promise<RestResponse> => {
    const { method = 'GET', url = '/', headers } = request
    const answer = known.get(`${method} ${url}`)
    if (answer !== undefined) return answer
    const learnt = await account.respond({
      method,
      path: url,
      headers: headers as Readonly<Record<string, string>>,
      body,
      origin: `http://${headers.host ?? ''}`,
    })
    if (learnt.status < 400) known.set(`${method} ${url}`, learnt)
    return learnt
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      answerTo(request, Buffer.concat(chunks).toString('utf8'))
        .then(({ status, headers, body }) => response.writeHead(status, headers).end(body))
        .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      await new Promise((resolve) => server.close(resolve))
      await account.close()
    },
  }
}
