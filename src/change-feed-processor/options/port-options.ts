import { hasMethods, isObject, kind, textThat } from '../../platform/options.js'
import { isContainer, type LeaseContainer, type MonitoredContainer } from '../feed/cosmos-ports.js'
import type { StartPosition } from '../feed/delegate.js'

/** The options that identify a deployment unit. */
export const portShape = {
  monitoredContainer: kind<MonitoredContainer>(
    'a Container of @azure/cosmos, or a ChangeFeed',
    (value) => isContainer(value) || hasMethods(value, 'readNext', 'physicalRanges'),
  ),
  leaseContainer: kind<LeaseContainer>(
    'a Container of @azure/cosmos, or a LeaseStore',
    (value) =>
      isContainer(value) || (isObject(value) && 'initialization' in value && hasMethods(value, 'list')),
  ),
  processorName: textThat(
    'a text without / \\ ? #, because it becomes part of document ids',
    (name) => !/[/\\?#]/.test(name),
  ),
}

/** The kind of a {@link StartPosition}. */
export const startPosition = kind<StartPosition>('"now", "beginning" or a valid Date', (value) =>
  value instanceof Date ? !Number.isNaN(value.getTime()) : value === 'now' || value === 'beginning',
)
