import {
  badRequest,
  isJsonObject,
  parsePatchSteps,
  Refusal,
  type Container,
  type Patch,
} from '../../engine/index.js'
import type { CompiledQuery } from '../../query/index.js'
import { QueryError } from '../../query/language/query-error.js'
import { compileQuery, queryOptions } from './load-query.js'

/** Reads a patch. Clients send only the operations, or an object with the operations and a condition. */
export function parsePatch(body: unknown, container: Container): Patch {
  const operations: unknown = isJsonObject(body) ? body['operations'] : body
  const steps = parsePatchSteps(operations, container.definition.partitionKey.paths)
  const condition = isJsonObject(body) ? body['condition'] : undefined
  if (condition === undefined) return { steps }
  if (typeof condition !== 'string')
    throw badRequest('The condition of a patch must be a text: from c where …')
  const compiled = compiledCondition(condition, container)
  return { steps, isApplicable: (document) => refusing(() => compiled.rowsOf(document).length > 0) }
}

function refusing<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof QueryError)) throw error
    throw new Refusal(
      error.status,
      `The condition of a patch must be a text such as "from c where c.x = 1": ${error.message}`,
    )
  }
}

/** Compiles the condition. If it is invalid, only this operation is refused, even in a bulk request. */
function compiledCondition(condition: string, container: Container): CompiledQuery {
  const compiled = refusing(() => compileQuery(`SELECT * ${condition}`, [], queryOptions(container)))
  if (compiled.isStreaming) return compiled
  throw badRequest('The condition of a patch must consist of FROM and WHERE only: from c where …')
}
