import type { StepDocument } from '../../model/documents.js'

/** Returns the key of a step among those of all jobs. */
export function stepKeyOf({ pk, id }: Pick<StepDocument, 'pk' | 'id'>): string {
  return `${pk}\n${id}`
}

/** Returns the key of the present attempt at a step. */
export function attemptKeyOf({ pk, id, fence }: Pick<StepDocument, 'pk' | 'id' | 'fence'>): string {
  return `${pk}\n${id}\n${fence}`
}
