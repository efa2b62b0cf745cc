import { badRequest, isJsonObject, parsePatchSteps, type Container, type Patch } from '../engine/index.js'
import { compileQuery } from '../query/index.js'

/** A patch as clients send it: the operations, or these with a condition. */
export function parsePatch(body: unknown, container: Container): Patch {
  const operations: unknown = isJsonObject(body) ? body['operations'] : body
  const steps = parsePatchSteps(operations, container.definition.partitionKey.paths)
  const condition = isJsonObject(body) ? body['condition'] : undefined
  if (condition === undefined) return { steps }
  if (typeof condition !== 'string')
    throw badRequest('The condition of a patch must be a text: from c where …')
  const compiled = compileQuery(`SELECT * ${condition}`, [])
  return { steps, isApplicable: (document) => compiled.rowsOf(document).length > 0 }
}
