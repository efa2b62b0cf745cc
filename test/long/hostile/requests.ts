import { adminRequest } from './admin.js'
import { alteredBody, alteredRequest } from './altered.js'
import { Draw } from './draw.js'
import type { Material } from './fill.js'
import { wellFormed, type HostileRequest } from './http-request.js'
import { malformed } from './malformed.js'
import { expensiveQuery, mutatedQuery } from './queries.js'

/** The kinds of requests, each with the number of such requests among a thousand. */
const mix: readonly (readonly [number, (draw: Draw, material: Material) => HostileRequest])[] = [
  [100, (draw, { key }) => malformed(draw, key)],
  [
    420,
    (draw, material) =>
      wellFormed('request', alteredRequest(draw, material), {
        key: draw.chance(0.03) ? 'd3Jvbmc=' : material.key,
        isSigned: draw.chance(0.97),
      }),
  ],
  [360, (draw, { key }) => wellFormed('body', alteredBody(draw), { key })],
  [57, (draw, { key }) => adminRequest(draw, key)],
  [60, (draw, { key }) => ({ ...wellFormed('query', mutatedQuery(draw), { key }), isAlone: true })],
  [3, (draw, { key }) => ({ ...wellFormed('expensive', expensiveQuery(draw), { key }), isAlone: true })],
]

/** Returns the hostile request with a number. The seed and what the account wrote decide what it is. */
export function hostileRequest(seed: number, number: number, material: Material): HostileRequest {
  const draw = new Draw(seed, number)
  let left = draw.below(mix.reduce((total, [count]) => total + count, 0))
  for (const [count, make] of mix) {
    if (left < count) return make(draw, material)
    left -= count
  }
  throw new Error('the numbers of the mix do not add up')
}
