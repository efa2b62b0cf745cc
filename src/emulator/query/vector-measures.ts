import { pathOf, unwrapped, type Call, type Expression } from './language/ast.js'
import { parse } from './language/parse.js'
import { notSupported } from './language/query-error.js'
import { callsIn } from './language/walk.js'

/**
 * Adds the measure of a container's vector policy to each call of VectorDistance that names no measure. The
 * text changes, so that the plan and the queries of all ranges use the same measure.
 *
 * @param measures names of measures by path, such as `/vector`
 */
export function withMeasures(text: string, measures: ReadonlyMap<string, string>): string {
  if (measures.size === 0 || !/vectordistance/iu.test(text)) return text
  const insertions = callsIn(parse(text))
    .filter(({ name }) => name.toUpperCase() === 'VECTORDISTANCE')
    .flatMap((call) => insertionFor(call, measures) ?? [])
    .sort((left, right) => right.position - left.position)
  return insertions.reduce(
    (result, { position, added }) => result.slice(0, position) + added + result.slice(position),
    text,
  )
}

interface Insertion {
  readonly position: number
  readonly added: string
}

function insertionFor(call: Call, measures: ReadonlyMap<string, string>): Insertion | undefined {
  const measure = call.arguments.slice(0, 2).flatMap((vector) => measures.get(pathText(vector)) ?? [])[0]
  // Cosine is the default of the function.
  if (measure === undefined || measure === 'cosine') return undefined
  const [, , isBruteForce, options] = call.arguments
  const property = `"distanceFunction": "${measure}"`
  if (options === undefined) {
    const added = `${isBruteForce === undefined ? ', false' : ''}, {${property}}`
    return { position: call.span.end - 1, added }
  }
  const given = unwrapped(options)
  if (given.kind !== 'object') {
    throw notSupported(
      'VectorDistance with options in a parameter, for a path with a measure in the vector policy,',
      given.span,
    )
  }
  if (given.properties.some(({ name }) => name === 'distanceFunction')) return undefined
  const added = given.properties.length === 0 ? property : `${property}, `
  return { position: given.span.start + 1, added }
}

function pathText(expression: Expression): string {
  return `/${(pathOf(expression) ?? []).join('/')}`
}
