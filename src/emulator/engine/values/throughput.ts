import { isJsonObject, type JsonObject } from './json.js'
import { badRequest } from './refusal.js'

/** Purchased throughput in request units per second, which is a fixed number or a maximum. */
export interface Throughput {
  readonly kind: 'manual' | 'autoscale'
  /** The fixed throughput, or the maximum for autoscale. */
  readonly maxRequestUnits: number
}

/** The request units per second that one physical partition serves. */
const requestUnitsPerPartition = 10_000

/** The request units per second for which the service creates one partition of a new container. */
const firstRequestUnitsPerPartition = { manual: 6_000, autoscale: 10_000 } as const

const bounds = {
  manual: { min: 400, max: 1_000_000, step: 100 },
  autoscale: { min: 1_000, max: 1_000_000, step: 1_000 },
} as const

/** The fraction of the maximum throughput to which an idle autoscale resource scales down. */
const idlePart = 0.1

/**
 * Returns the number of physical partitions of a new container in the service. The throughput is the
 * container's own, and not shared with a database.
 */
export function firstPartitionsFor({ kind, maxRequestUnits }: Throughput): number {
  return Math.ceil(maxRequestUnits / firstRequestUnitsPerPartition[kind])
}

/** Returns the number of physical partitions that can serve this throughput. */
export function partitionsFor({ maxRequestUnits }: Throughput): number {
  return Math.ceil(maxRequestUnits / requestUnitsPerPartition)
}

export function checkedThroughput(kind: Throughput['kind'], value: unknown): Throughput {
  const { min, max, step } = bounds[kind]
  if (typeof value === 'number' && value >= min && value <= max && value % step === 0) {
    return { kind, maxRequestUnits: value }
  }
  throw badRequest(
    `The ${kind === 'manual' ? 'throughput' : 'maximum throughput of autoscale'} is ` +
      `${JSON.stringify(value)}; it must be from ${min} to ${max} RU/s in steps of ${step}.`,
  )
}

export function offerContent(throughput: Throughput, highestEver: number): JsonObject {
  const { kind, maxRequestUnits } = throughput
  const isManual = kind === 'manual'
  return {
    offerThroughput: isManual ? maxRequestUnits : maxRequestUnits * idlePart,
    offerIsRUPerMinuteThroughputEnabled: false,
    offerMinimumThroughputParameters: {
      maxThroughputEverProvisioned: highestEver,
      maxConsumedStorageEverInKB: 0,
    },
    ...(isManual ? {} : { offerAutopilotSettings: { maxThroughput: maxRequestUnits } }),
  }
}

/** Reads a client's `content` of an offer. Autoscale settings take precedence over `offerThroughput`. */
export function parseOfferContent(content: unknown): Throughput {
  if (!isJsonObject(content)) throw badRequest('An offer needs its "content" as a JSON object.')
  const { offerAutopilotSettings: settings, offerThroughput } = content
  if (settings === undefined || settings === null) return checkedThroughput('manual', offerThroughput)
  return checkedThroughput('autoscale', isJsonObject(settings) ? settings['maxThroughput'] : settings)
}

/**
 * Returns the minimum throughput that the service allows: at least a hundredth (manual) or a tenth
 * (autoscale) of the highest throughput so far.
 */
export function minimumThroughput(kind: Throughput['kind'], highestEver: number): number {
  const { min, step } = bounds[kind]
  const part = kind === 'manual' ? highestEver / 100 : highestEver / 10
  return Math.max(min, Math.ceil(part / step) * step)
}
