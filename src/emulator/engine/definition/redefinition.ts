import { badRequest, Refusal } from '../values/refusal.js'
import type { ContainerDefinition } from './container-definition.js'

/** Refuses new settings of a container that change what distributes its documents. */
export function assertRedefinable(current: ContainerDefinition, definition: ContainerDefinition): void {
  if (!isSame(definition.partitionKey, current.partitionKey) || definition.id !== current.id) {
    throw badRequest(
      'The id and the partition key of a container cannot be changed; create another container.',
    )
  }
  if (!isSame(definition.uniqueKeys, current.uniqueKeys)) {
    throw new Refusal(
      403,
      'The unique index cannot be modified. Send the uniqueKeyPolicy as it is, or create another container.',
    )
  }
}

/** Of settings that were parsed, so that their properties stand in one order. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
