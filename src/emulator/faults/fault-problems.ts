import {
  chosen,
  duration,
  flag,
  group,
  isObject,
  kind,
  optional,
  readOptions,
  textThat,
  wholeNumber,
  type Read,
} from '../../platform/options.js'
import { faultOperations } from './fault-match.js'

const anyText = (what: string) => textThat(what, () => true).optional()

const match = group({
  operation: kind(`one or more of ${faultOperations.join(', ')}`, (value) => {
    const named: readonly unknown[] = [value].flat()
    return named.length > 0 && named.every((name) => faultOperations.some((one) => one === name))
  }).optional(),
  container: anyText('the name of a container'),
  id: anyText('the id of a document'),
  partitionKey: kind('any value', () => true),
})
const predicate = kind<object>(
  'properties of requests, or a predicate',
  (value) => typeof value === 'function',
)

const probability = kind<number>(
  'a number above 0 and up to 1',
  (value) => typeof value === 'number' && value > 0 && value <= 1,
)

const shape = {
  match: chosen<object>((value) => (isObject(value) ? match : predicate)).optional(),
  status: wholeNumber(400, 599).optional(),
  substatus: wholeNumber(0, 99_999).optional(),
  times: wholeNumber(1).optional(),
  probability: probability.optional(),
  seed: wholeNumber(0, 2 ** 32 - 1).optional(),
  afterApply: optional(flag(), false),
  delay: optional(duration(0), 0),
  retryAfter: duration(0).optional(),
  reset: optional(flag(), false),
}

/** Reads a fault's options, which may come from code or from a request. */
export function readFault(given: unknown): Read<typeof shape> {
  const options = isObject(given) ? given : {}
  const { values, problems } = readOptions(shape, options)
  return { values, problems: [...problems, ...relationProblems(options)] }
}

/** Returns all problems of a fault's options. */
export function faultProblems(options: unknown): readonly string[] {
  return readFault(options).problems
}

function relationProblems(options: { readonly [K in keyof typeof shape]?: unknown }): readonly string[] {
  const { status, reset, delay, substatus, retryAfter, seed, probability: chance } = options
  const problems: string[] = []
  if (status === undefined && reset !== true && delay === undefined) {
    problems.push('a fault needs one of status, reset and delay')
  }
  if (status !== undefined && reset === true) {
    problems.push('status and reset exclude each other: a connection that is cut answers nothing')
  }
  if (status === undefined && (substatus !== undefined || retryAfter !== undefined)) {
    problems.push('substatus and retryAfter need a status')
  }
  if (seed !== undefined && chance === undefined) problems.push('seed needs a probability')
  return problems
}
