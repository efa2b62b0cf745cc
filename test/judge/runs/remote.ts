/**
 * The remote service of a run, as its own process. It keeps effects by idempotency key, recognises
 * repetitions, and refuses to act on a key whose undo it has seen. Each call contains the service's
 * behaviour: one mood for each of the key's calls in turn, and `ok` after that.
 */
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { Recorder } from './recorder.js'

/** The behaviour of the service for one call. */
export type Mood =
  /** Acts and answers. */
  | 'ok'
  /** Acts and cuts the connection. */
  | 'lose'
  /** Acts, and answers only when every deadline has passed. */
  | 'late'
  /** Acts after a short time. */
  | 'slow'
  /** Acts after a long time. */
  | 'long'
  /** Acts only when every deadline has passed. */
  | 'tardy'
  /** Does nothing, and reports a temporary failure. */
  | 'busy'
  /** Refuses for good, without checking whether it has acted before. */
  | 'refuse'

export interface RemoteCall {
  readonly kind: 'do' | 'undo'
  readonly key: string
  /** The key that an undo undoes. */
  readonly undoes: string | null
  readonly jobId: string
  readonly stepId: string
  readonly moods: readonly Mood[]
}

const slowMs = 400
const longMs = 1_800
const tooLateMs = 2_800

const recorder = new Recorder(process.env['JUDGE_HISTORY'] ?? '', 'remote')
const calls = new Map<string, number>()
/** The receipt of each key's effect. */
const effects = new Map<string, number>()
/** Keys whose undo was seen. */
const undone = new Set<string>()
let receipts = 0

function effect(call: RemoteCall, isReversal: boolean): number {
  receipts += 1
  effects.set(call.key, receipts)
  const { kind, key, undoes, jobId, stepId } = call
  recorder.note('effect', { kind, key, undoes, jobId, stepId, receipt: receipts, isReversal })
  return receipts
}

/** Returns the receipt, or null if this key must no longer act. */
function act(call: RemoteCall): number | null {
  const known = effects.get(call.key)
  if (known !== undefined) return known
  if (call.kind === 'do') {
    if (undone.has(call.key)) return null
    return effect(call, false)
  }
  const { undoes } = call
  if (undoes !== null) undone.add(undoes)
  return effect(call, undoes !== null && effects.has(undoes))
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function take(call: RemoteCall, response: ServerResponse): Promise<void> {
  const count = calls.get(call.key) ?? 0
  calls.set(call.key, count + 1)
  const mood = call.moods[count] ?? 'ok'
  if (mood === 'busy') {
    answer(response, 503, { error: 'busy' })
    return
  }
  if (mood === 'refuse') {
    answer(response, 422, { error: 'this is never done' })
    return
  }
  if (mood === 'slow') await wait(slowMs)
  if (mood === 'long') await wait(longMs)
  if (mood === 'tardy') await wait(tooLateMs)
  const receipt = act(call)
  if (receipt === null) {
    answer(response, 409, { error: 'undone already' })
    return
  }
  if (mood === 'lose') {
    response.destroy()
    return
  }
  if (mood === 'late') await wait(tooLateMs)
  answer(response, 200, { receipt })
}

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (part: string) => (text += part))
  request.on('end', () => {
    take(JSON.parse(text) as RemoteCall, response).catch(() => response.destroy())
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 })
})
