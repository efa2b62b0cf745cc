import { SubmissionInvalid } from '../model/errors.js'
import { givenJson } from '../model/values/plain-json.js'
import type { StateDocument } from '../store/state-store.js'

/**
 * Checks a document of the user and puts it into the job's logical partition, so that the job's transaction
 * can contain the document (F-S15).
 */
export function ownDocument(document: Readonly<Record<string, unknown>>, partition: string): StateDocument {
  const { id, pk = partition, type } = document
  if (typeof id !== 'string' || id === '') {
    throw new SubmissionInvalid(
      `a document alongside needs an id, a non-empty string; this one has ${JSON.stringify(id)}`,
    )
  }
  if (pk !== partition) {
    const rule = `must be in the job's partition ${JSON.stringify(partition)} to share its transaction`
    throw new SubmissionInvalid(`document ${JSON.stringify(id)} with pk ${JSON.stringify(pk)} ${rule}`)
  }
  const isOurs = [id, type].some((name) => typeof name === 'string' && name.startsWith('sas.'))
  if (isOurs) {
    throw new SubmissionInvalid(
      `document ${JSON.stringify(id)}: ids and types beginning with "sas." are the engine's own`,
    )
  }
  const given = givenJson(document, `document ${JSON.stringify(id)}`)
  if (given.kind === 'refused') throw new SubmissionInvalid(given.reason)
  return { ...document, id, pk: partition }
}
