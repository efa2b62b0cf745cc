import type { StepDocument } from '../model/documents.js'
import type { GateOfStep, Place, PlanLimit, Turn } from '../model/gate-parts.js'
import { deadline, withDerivedState } from '../model/process-state.js'
import { resolveTemplate, type KnownValues } from '../plan/template.js'
import { jobKeyPrefix, keyInPartition, partitionKeyPrefix } from './home.js'

/** A step that must come to its gates before its next attempt is dispatched, or a job before its first. */
export interface GateRequest {
  /** Null if the job itself comes to the gates of its workflow. */
  readonly step: StepDocument | null
  readonly entry: number
  /** The gates of the step, ordered by key. Every step comes to its gates in this order, so no two block each other. */
  readonly gates: readonly GateOfStep[]
  readonly turn: Turn | null
  /** The key of the gate to which `turn` belongs, or null. */
  readonly waitsFor: string | null
  readonly reservedMs: number | null
  /** The key of the gate that has reserved this time, if the rates of other gates follow. Otherwise null. */
  readonly reservedAt: string | null
}

/** The answer of all gates to a step. */
export interface Pass {
  readonly entry: number
  readonly gates: readonly GateOfStep[]
  readonly kind: 'inside' | 'waits'
  /** The time at which the attempt may begin. */
  readonly atMs: number
  /** The key of the gate whose time the step waits for, if the rates of other gates follow. Otherwise null. */
  readonly reservedAt: string | null
  /** The key of the gate at which the step waits, or null. */
  readonly waitsFor: string | null
  readonly turn: Turn | null
}

/** The answers by step id. The answer to the job itself has an empty id. */
export type Passes = ReadonlyMap<string, Pass>

/**
 * The time after which a waiting step asks again by itself. Normally it is called much earlier, or by the
 * supervisor.
 */
export const askAgainMs = 15 * 60_000

export const maxKeyLength = 200

/** Checks whether the next attempt of a step must pass gates. An undo passes none, so that it is never held up. */
export function isGated({ limits, kind, direction }: StepDocument): boolean {
  return limits !== undefined && kind === 'operation' && direction === 'do'
}

/**
 * Returns what a step asks of its gates before it begins. `step` is the step as it is stored. Returns the reason
 * for a refusal if a key is no text.
 */
export function requestAtBegin(step: StepDocument, known: KnownValues): GateRequest | string {
  const { limits = [], dispatch, pk } = step
  const gates = gatesOf(limits, { known, pk, prefix: '' })
  if (typeof gates === 'string') return gates
  return { step, entry: dispatch, gates, turn: null, waitsFor: null, reservedMs: null, reservedAt: null }
}

/** What the keys of limits are made of. */
interface KeyParts {
  readonly known: KnownValues
  /** The partition key of the job. */
  readonly pk: string
  readonly prefix: string
}

/** Returns the gates of these limits in the order of their keys, or the reason why a key is invalid. */
export function gatesOf(limits: readonly PlanLimit[], parts: KeyParts): readonly GateOfStep[] | string {
  const gates: GateOfStep[] = []
  for (const limit of limits) {
    const gate = resolved(limit, parts)
    if (typeof gate === 'string') return gate
    if (!gates.some(({ key }) => key === gate.key)) gates.push(gate)
  }
  return gates.sort((a, b) => (a.key < b.key ? -1 : 1))
}

/** Returns what a step asks of its gates before another attempt. */
export function requestAgain(step: StepDocument): GateRequest | null {
  const { place } = step
  if (place === undefined) return null
  const { entry, gates, turn, waitsFor, reservedMs, reservedAt = null } = place
  return { step, entry, gates, turn, waitsFor, reservedMs, reservedAt }
}

function resolved(
  { key, fairBy = null, perPartition, ...rules }: PlanLimit,
  { known, pk, prefix }: KeyParts,
): GateOfStep | string {
  const name = nameOf(resolveTemplate(key, known))
  if (name === null) {
    return `the key of a limit must be a text of 1 to ${maxKeyLength} characters, and it is ${shown(key, known)}`
  }
  if (prefix === '' && name.startsWith(jobKeyPrefix)) {
    return `the key of a limit of a step must not begin with ${jobKeyPrefix}, and it is ${shown(key, known)}`
  }
  if (perPartition !== true && name.startsWith(partitionKeyPrefix)) {
    return `the key of a limit must not begin with ${partitionKeyPrefix}, and it is ${shown(key, known)}; use perPartition: true instead`
  }
  const group = nameOf(resolveTemplate(fairBy, known)) ?? ''
  return { key: `${prefix}${perPartition === true ? keyInPartition(name, pk) : name}`, group, ...rules }
}

function nameOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' && value.length <= maxKeyLength ? value : null
}

function shown(key: PlanLimit['key'], known: KnownValues): string {
  const text = JSON.stringify(resolveTemplate(key, known))
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** Returns a dispatched step as its gates let it pass. */
export function passing(
  step: StepDocument,
  { passes, now }: { readonly passes?: Passes; readonly now: number },
): StepDocument {
  const pass = isGated(step) ? passes?.get(step.stepId) : undefined
  return pass === undefined ? step : through(step, pass, now)
}

/** Returns a dispatched step with its place: as it is, or waiting at a gate or for the time of its rate. */
function through(step: StepDocument, pass: Pass, now: number): StepDocument {
  const { entry, gates, atMs, reservedAt, turn, waitsFor } = pass
  const isWaiting = pass.kind === 'waits' || atMs > now
  const since = isWaiting ? (step.place?.since ?? new Date(now).toISOString()) : null
  const reservedMs = pass.kind === 'inside' && atMs > now ? atMs : null
  const isFirst = reservedMs !== null && reservedAt !== null
  const place: Place = {
    ...{ entry, gates: [...gates], waitsFor, turn, since, reservedMs },
    ...(isFirst && { reservedAt }),
  }
  if (!isWaiting) return { ...step, place }
  const notBeforeMs = pass.kind === 'waits' ? now + askAgainMs : atMs
  const waiting = { ...step, place, lockedBy: null, notBeforeMs, ...deadline(notBeforeMs) }
  return withDerivedState(waiting)
}

/** Returns a step that is about to begin again, without the place of its last run. */
export function withoutPlace(step: StepDocument): StepDocument {
  if (step.place === undefined) return step
  const { place: _place, ...rest } = step
  return rest
}
