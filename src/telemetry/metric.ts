import type { Attributes } from '@opentelemetry/api'
import type { Delivery } from './delivery.js'

/** The names of attributes, each with a function that returns the attribute's value for an event. */
type AttributeSources<E> = Readonly<Record<string, (event: E) => string | undefined>>

/** A value that an event reports to an instrument of OpenTelemetry. */
export interface Metric<E> {
  /** The name of the instrument. Several metrics may report to one instrument. */
  readonly name: string
  readonly kind: 'counter' | 'upDownCounter' | 'gauge' | 'histogram'
  readonly unit: string
  readonly attributes: AttributeSources<E>
  /** Returns the value to report. Default: 1. */
  readonly value?: (event: E) => number
  /** The upper bounds of a histogram's buckets. Default: the bounds of the SDK. */
  readonly boundaries?: readonly number[]
}

/** Returns the attributes of an event that these sources give. */
export function attributesOf<E>(sources: AttributeSources<E>, event: E): Attributes {
  return Object.fromEntries(
    Object.entries(sources).flatMap(([name, valueOf]) => {
      const value = valueOf(event)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** Returns the type of an error as OpenTelemetry defines it. */
export function errorType(error: unknown): string {
  return error instanceof Error ? error.name : '_OTHER'
}

const system = 'azure.cosmosdb'

const onUnit: AttributeSources<Pick<Delivery, 'processorName'>> = {
  'messaging.system': () => system,
  'messaging.operation.name': () => 'process',
  'messaging.operation.type': () => 'process',
  'messaging.consumer.group.name': ({ processorName }) => processorName,
}

export const onLease: AttributeSources<Pick<Delivery, 'processorName' | 'leaseToken'>> = {
  ...onUnit,
  'messaging.destination.partition.id': ({ leaseToken }) => leaseToken,
}

export const onDelivery: AttributeSources<Delivery> = {
  ...onLease,
  'messaging.destination.name': ({ container }) => container,
}

export const onOperation: AttributeSources<{ readonly operation: string }> = {
  'db.system.name': () => system,
  'db.operation.name': ({ operation }) => operation,
}

/** Counts an event by its type. */
export const events: Metric<{ readonly type: string }> = {
  name: 'stepward.events',
  kind: 'counter',
  unit: '{event}',
  attributes: { 'stepward.event': ({ type }) => type },
}

/** Counts a failure by its event and error. */
export const failures: Metric<{ readonly type: string; readonly error?: unknown }> = {
  name: 'stepward.failures',
  kind: 'counter',
  unit: '{failure}',
  attributes: { 'stepward.event': ({ type }) => type, 'error.type': ({ error }) => errorType(error) },
}

/** Counts a failure in a deployment unit. */
export const unitFailures: Metric<
  Pick<Delivery, 'processorName'> & { readonly type: string; readonly error?: unknown }
> = { ...failures, attributes: { ...onUnit, ...failures.attributes } }

/** The number of leases that this instance holds. An event adds 1 or subtracts 1. */
export const leasesHeld: Metric<Pick<Delivery, 'processorName'>> = {
  name: 'stepward.leases.held',
  kind: 'upDownCounter',
  unit: '{lease}',
  attributes: onUnit,
}

/** A delivery that has ended, with the error of the delegate if it failed. */
type EndedDelivery = Delivery & {
  readonly durationMs: number
  readonly failure: { readonly error: unknown } | null
}

/** The duration of a delivery. No event reports this metric. */
export const processDuration: Metric<EndedDelivery> = {
  name: 'messaging.process.duration',
  kind: 'histogram',
  unit: 's',
  attributes: {
    ...onDelivery,
    'error.type': ({ failure }) => (failure === null ? undefined : errorType(failure.error)),
  },
  value: ({ durationMs }) => durationMs / 1_000,
  boundaries: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60],
}
