import type { Asked } from '../../integration/emulator/signed-request.js'
import { answersIn, type HttpAnswer } from './answers.js'
import { asHttp } from './http-request.js'
import { exchange } from './socket.js'

/** The emulator that is under test. */
export interface Target {
  readonly port: number
  readonly key: string
}

/** Sends a correct request. Rejects if the connection ends without an answer. */
export async function ask({ port, key }: Target, asked: Asked): Promise<HttpAnswer> {
  const { bytes } = await exchange(port, { parts: [asHttp(asked, { key })], ending: 'waits' })
  const [answer] = answersIn(bytes, false)
  if (answer === undefined) throw new Error(`${asked.method} ${asked.path} has no answer`)
  return answer
}

/** Sends a correct request that must succeed, and returns its answer. */
export async function succeed(target: Target, asked: Asked): Promise<HttpAnswer> {
  const answer = await ask(target, asked)
  if (answer.status < 300) return answer
  throw new Error(`${asked.method} ${asked.path} has status ${answer.status}: ${answer.body.slice(0, 500)}`)
}
