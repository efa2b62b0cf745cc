import { argv, stdout } from 'node:process'
import { openAccount } from '../../../src/emulator/doors/account.js'
import type { RestResponse } from '../../../src/emulator/messages/rest-message.js'
import { wellKnownKey } from '../../../src/emulator/doors/account-key.js'

/** What the process reports before it ends by itself. */
export interface Told {
  readonly acknowledged: number
  /** The statuses of the write that found no space, of another write, and of a read. */
  readonly statuses: readonly number[]
  readonly body: string
}

/** Writes until a write is refused, makes two more requests, and exits. */
async function main(dataDirectory: string): Promise<void> {
  const account = openAccount({ dataDirectory }, wellKnownKey)
  account.engine.createDatabase('shop')
  account.engine.createContainer('shop', { id: 'orders', partitionKey: { paths: ['/id'] } })
  const ask = (method: string, id: string, body = ''): Promise<RestResponse> =>
    account.respond({
      method,
      path: method === 'POST' ? '/dbs/shop/colls/orders/docs' : `/dbs/shop/colls/orders/docs/${id}`,
      headers: { 'x-ms-documentdb-partitionkey': JSON.stringify([id]) },
      body,
      origin: 'http://127.0.0.1',
      isOwn: true,
    })
  const write = (id: string): Promise<RestResponse> =>
    ask('POST', id, JSON.stringify({ id, text: 'x'.repeat(100_000) }))
  let acknowledged = 0
  let answer = await write('o0')
  while (answer.status === 201) {
    acknowledged += 1
    answer = await write(`o${acknowledged}`)
  }
  const answers = [answer, await write('another'), await ask('GET', 'o0')]
  // Turns the event loop, because an unhandled error would then end the process.
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
  await account.close().catch(() => undefined)
  const told: Told = { acknowledged, statuses: answers.map(({ status }) => status), body: answer.body }
  stdout.write(`${JSON.stringify(told)}\n`)
}

await main(argv[2] ?? '')
