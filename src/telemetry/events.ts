import type { EventRow, EventRows } from './event-row.js'
import { hostEvents, type HostEvent } from './host-events.js'
import { jobEvents, type JobEvent } from './job-events.js'
import { processorEvents, type ProcessorEvent } from './processor-events.js'

/** The events that a process emits. Loggers, metrics and tests receive events through sinks. */
export type TelemetryEvent = ProcessorEvent | JobEvent | HostEvent

/** The name of an event type. */
export type TelemetryEventType = TelemetryEvent['type']

/** The event with a given type. */
export type TelemetryEventOf<T extends TelemetryEventType> = Extract<TelemetryEvent, { readonly type: T }>

/** One row for each event type, in the order of the documentation. */
export const eventTable: EventRows<TelemetryEvent> = { ...processorEvents, ...jobEvents, ...hostEvents }

export function rowOf<T extends TelemetryEventType>(type: T): EventRow<TelemetryEventOf<T>> {
  return eventTable[type]
}
