import type { Lease } from './lease.js'

/**
 * The name of the entry about the owner's process. The entry contains the owner and the timestamp of the
 * lease. So the entry is void after a write by a host that does not know it, even if that host has the name
 * of the owner.
 */
export const processProperty = 'stepward.process'

type ProcessEntry = Pick<
  Lease,
  'process' | 'wakeAddress' | 'version' | 'serves' | 'report' | 'unfinishedFrom'
>

/** The entry of an owner about whose process nothing is known. */
export const unknownProcess = {
  process: null,
  wakeAddress: null,
  version: null,
  serves: null,
  report: null,
  unfinishedFrom: null,
} as const satisfies ProcessEntry

export function encodeProcess(lease: ProcessEntry & Pick<Lease, 'owner' | 'timestampMs'>): string {
  const { owner, timestampMs, process, wakeAddress, version, serves, report, unfinishedFrom } = lease
  const more = {
    ...(wakeAddress === null ? {} : { wakeAddress }),
    ...(version === null ? {} : { version }),
    ...(serves === null ? {} : { serves }),
    ...(report === null ? {} : { report }),
  }
  return JSON.stringify({ owner, at: encodeTimestamp(timestampMs), process, ...more, unfinishedFrom })
}

/** Returns the content of the entry, or nulls if another host has written the lease since. */
export function decodeProcess(stored: unknown, owner: string | null, timestamp: unknown): ProcessEntry {
  const said = parsedRecord(stored)
  const isValid = said['owner'] === owner && typeof timestamp === 'string' && said['at'] === timestamp
  if (!isValid) return unknownProcess
  const { report } = said
  return {
    process: textOf(said['process']),
    wakeAddress: textOf(said['wakeAddress']),
    version: textOf(said['version']),
    serves: textsOf(said['serves']),
    report: typeof report === 'object' && report !== null ? { ...report } : null,
    unfinishedFrom: textOf(said['unfinishedFrom']),
  }
}

export function encodeTimestamp(timestampMs: number | null): string | null {
  return timestampMs === null ? null : new Date(timestampMs).toISOString()
}

/** Returns the record in a text of JSON, or an empty record. */
export function parsedRecord(stored: unknown): Readonly<Record<string, unknown>> {
  if (typeof stored !== 'string') return {}
  try {
    return recordOf(JSON.parse(stored))
  } catch {
    return {}
  }
}

/** Returns the value if it is a text with at least one character, or else null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** Returns the value if it is a list of texts, or else null. */
function textsOf(value: unknown): readonly string[] | null {
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : null
}

export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' ? { ...value } : {}
}
