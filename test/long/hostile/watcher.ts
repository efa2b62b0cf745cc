import type { Asked } from '../../integration/emulator/signed-request.js'
import { ask, succeed, type Target } from './account.js'

/** The database of the watcher, which no hostile request names. */
export const watchedDatabase = 'watched'

const docs = `/dbs/${watchedDatabase}/colls/items/docs`
const key = { 'x-ms-documentdb-partitionkey': '["w"]' }

/** A correct client that works between hostile requests and expects correct answers. */
export class Watcher {
  private count = 0

  constructor(private readonly target: Target) {}

  async prepare(): Promise<void> {
    await succeed(this.target, {
      method: 'POST',
      path: '/dbs',
      body: JSON.stringify({ id: watchedDatabase }),
    })
    await succeed(this.target, {
      method: 'POST',
      path: `/dbs/${watchedDatabase}/colls`,
      body: '{"id":"items","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}}',
    })
    await this.check()
  }

  /** Writes a document and reads it. Returns what is wrong; null if nothing is. */
  async check(): Promise<string | null> {
    this.count += 1
    const body = JSON.stringify({ id: 'w', pk: 'w', count: this.count })
    const upsert = { ...key, 'x-ms-documentdb-is-upsert': 'true' }
    const written = await this.problem({ method: 'POST', path: docs, headers: upsert, body })
    return written ?? (await this.problem({ method: 'GET', path: `${docs}/w`, headers: key }))
  }

  private async problem(asked: Asked): Promise<string | null> {
    const { status, body } = await ask(this.target, asked)
    const isRight = status < 300 && body.includes(`"count":${this.count}`)
    return isRight ? null : `a correct ${asked.method} has status ${status}: ${body.slice(0, 500)}`
  }
}
