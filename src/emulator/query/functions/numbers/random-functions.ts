import { systemRandom } from '../../../../platform/internal.js'
import type { Random } from '../../../../platform/index.js'
import type { QueryFunction } from '../../values/query-function.js'

/** Returns RAND: a number in [0, 1), chosen again for each call and each document. */
export function randFunction(random: Pick<Random, 'next'>): QueryFunction {
  return { minArguments: 0, maxArguments: 0, evaluate: () => random.next() }
}

export const randomFunctions = { RAND: randFunction(systemRandom) }
