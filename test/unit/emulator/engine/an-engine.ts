import { CosmosEngine } from '../../../../src/emulator/internal.js'
import type {
  Container,
  EngineOptions,
  ItemOperation,
  JsonObject,
} from '../../../../src/emulator/engine/index.js'
import { seededRandom } from '../../../../src/platform/index.js'

/** An engine whose time stands still unless told otherwise. */
export function anEngine(options: Partial<EngineOptions> = {}): CosmosEngine {
  const random = seededRandom(7)
  return new CosmosEngine({ now: () => Date.UTC(2026, 0, 1), nextId: () => random.id(), ...options })
}

/** A container `db/orders`, partitioned by `/pk`. */
export function aContainer(
  engine: CosmosEngine = anEngine(),
  settings: JsonObject = {},
  partitionCount = 1,
): Container {
  engine.createDatabase('db')
  const definition = { id: 'orders', partitionKey: { paths: ['/pk'] }, ...settings }
  return engine.createContainer('db', definition, partitionCount)
}

export function upsertOf(id: string, pk: string, more: JsonObject = {}): ItemOperation {
  return { kind: 'upsert', document: { id, pk, ...more } }
}

/** The status an action is refused with. */
export function refusalOf(action: () => unknown): { status: number; substatus: number; message: string } {
  try {
    action()
  } catch (error) {
    return error as { status: number; substatus: number; message: string }
  }
  throw new Error('it was expected to be refused')
}
