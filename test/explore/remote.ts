import type { StepDocument } from '../../src/sas/model/documents.js'

/**
 * The state of one step outside its document, in one integer. It contains the handlers that run for its
 * current attempt. For each key (one per generation) it contains the effects in the remote service and the
 * calls still under way.
 *
 * The service recognises keys: a key has one effect however often it is called, and none after its undo was
 * called (assumptions 3 and 4 of docs/guarantees.md).
 */
export type Remote = number

/** The most generations of a step. */
export const mostGenerations = 3
/** The most handlers that run concurrently for one attempt. */
export const mostHandlers = 2

/** The progress of a handler. */
export const running = {
  /** There is no handler. */
  no: 0,
  /** It makes its first call. */
  begun: 1,
  /** The service has acted, and the handler may report it. */
  acted: 2,
  /** A call failed or its answer was lost, and the handler makes another one. */
  callsAgain: 3,
} as const

/** The effect that the service had for a key. */
export const effect = { none: 0, acted: 1, closed: 2 } as const

/** What the documents show about a key. */
export const known = {
  /** No attempt could have been made. */
  neverOpen: 0,
  /** One attempt was made, or is under way. */
  openOnce: 1,
  /** The first call of its only attempt was refused for good. */
  refused: 2,
  mayHaveActed: 3,
  succeeded: 4,
} as const

/** A key of calls to the remote service: its generation and direction. */
export interface Key {
  readonly generation: number
  readonly direction: StepDocument['direction']
}

const handlerBits = 3
const claimantBit = 4
const keyBits = 7
/**
 * The position of the generation of a call that was abandoned before its deadline, and of the ticks until
 * then.
 */
const inTimeShift = 28
/** Flag: the first process with the attempt has not started it. */
const firstAheadBit = 1 << (handlerBits * mostHandlers)
const firstKeyBit = handlerBits * mostHandlers + 1
const lateDo = 4
const lateUndo = 8

/** Returns the key that a step's document names. */
export function keyOf({ idempotencyKey }: Pick<StepDocument, 'idempotencyKey'>): Key {
  const [, generation = '', direction] = /\/g(\d+)\/(do|undo)$/.exec(idempotencyKey) ?? []
  if (direction !== 'do' && direction !== 'undo') throw new Error(`${idempotencyKey} is not a key`)
  if (Number(generation) > mostGenerations)
    throw new Error(`a world has ${mostGenerations} generations at most`)
  return { generation: Number(generation), direction }
}

/** Returns the progress of the handler in this place. */
export function handlerAt(remote: Remote, place: number): number {
  return (remote >> (place * handlerBits)) & 3
}

export function isClaimant(remote: Remote, place: number): boolean {
  return ((remote >> (place * handlerBits)) & claimantBit) !== 0
}

/** Returns the state with this handler. Places of handlers are interchangeable, so they are sorted. */
export function withHandler(remote: Remote, place: number, phase: number, holdsClaim: boolean): Remote {
  const code = phase === running.no ? 0 : phase | (holdsClaim ? claimantBit : 0)
  const other = (remote >> ((1 - place) * handlerBits)) & 7
  const rest = remote & ~(firstAheadBit - 1)
  return rest | Math.max(code, other) | (Math.min(code, other) << handlerBits)
}

/** Checks whether the first process with the attempt, which knows that it is first, has yet to start. */
export function isFirstAhead(remote: Remote): boolean {
  return (remote & firstAheadBit) !== 0
}

export function withFirstAhead(remote: Remote, isAhead: boolean): Remote {
  return isAhead ? remote | firstAheadBit : remote & ~firstAheadBit
}

export function effectOf(remote: Remote, generation: number): number {
  return keyAt(remote, generation) & 3
}

export function knownOf(remote: Remote, generation: number): number {
  return keyAt(remote, generation) >> 4
}

export function withKnown(remote: Remote, generation: number, word: number): Remote {
  return withKey(remote, generation, (keyAt(remote, generation) & 15) | (word << 4))
}

/** Checks whether a call whose caller is gone may still arrive. */
export function isLate(remote: Remote, { generation, direction }: Key): boolean {
  return (keyAt(remote, generation) & (direction === 'do' ? lateDo : lateUndo)) !== 0
}

/** Returns the state with such a call under way, if it could make a difference. */
export function withLate(remote: Remote, { generation, direction }: Key): Remote {
  const bits = keyAt(remote, generation)
  return withKey(remote, generation, bits | (direction === 'do' ? lateDo : lateUndo))
}

/** Returns the state after a call, or null if the service refuses the call because its key was undone. */
export function called(remote: Remote, { generation, direction }: Key): Remote | null {
  if (direction === 'undo') return withEffect(remote, generation, effect.closed)
  if (effectOf(remote, generation) !== effect.closed) return withEffect(remote, generation, effect.acted)
  const isSurprise = isInTime(remote, generation) && isLate(remote, { generation, direction })
  return isSurprise ? withEffect(remote, generation, effect.acted) : null
}

/** Checks whether an abandoned call may still be made before its deadline. */
function isInTime(remote: Remote, generation: number): boolean {
  return remote >>> inTimeShift !== 0 && ((remote >>> inTimeShift) & 3) === generation
}

function withTime(remote: Remote, generation: number, ticks: number): Remote {
  const word = ticks === 0 ? 0 : (Math.min(ticks, 3) << 2) | generation
  return (remote & ((1 << inTimeShift) - 1)) | (word << inTimeShift)
}

/** Returns the state after this many ticks. */
export function laterRemote(remote: Remote, ticks: number): Remote {
  const word = remote >>> inTimeShift
  if (word === 0) return remote
  const generation = word & 3
  const after = withTime(remote, generation, Math.max(0, (word >> 2) - ticks))
  return withKey(after, generation, keyAt(after, generation))
}

function withEffect(remote: Remote, generation: number, word: number): Remote {
  return withKey(remote, generation, (keyAt(remote, generation) & ~3) | word)
}

/**
 * Returns the state with another attempt. Handlers of the previous attempt continue. Their calls may arrive
 * late, or within the time that they had left. A negative time excludes late calls.
 */
export function superseded(remote: Remote, key: Key, ticksLeft: number): Remote {
  const { generation, direction } = key
  const isOnItsWay = ticksLeft >= 0 && (isCalling(remote) || isFirstAhead(remote))
  let after = isOnItsWay ? withLate(remote, key) : remote
  if (isOnItsWay && direction === 'do' && isLate(after, key)) after = withTime(after, generation, ticksLeft)
  after &= ~((1 << firstKeyBit) - 1)
  const isOpenOnce = knownOf(after, generation) === known.openOnce
  return direction === 'do' && isOpenOnce ? withKnown(after, generation, known.mayHaveActed) : after
}

/**
 * Checks whether a handler still calls. Handlers that have not acted continue, without noticing that their
 * attempt is over.
 */
function isCalling(remote: Remote): boolean {
  for (let place = 0; place < mostHandlers; place += 1) {
    const phase = handlerAt(remote, place)
    if (phase === running.begun || phase === running.callsAgain) return true
  }
  return false
}

/** Returns the state with an attempt that may be made. */
export function opened(remote: Remote, generation: number): Remote {
  const before = knownOf(remote, generation)
  if (before === known.succeeded) return remote
  return withKnown(remote, generation, before === known.neverOpen ? known.openOnce : known.mayHaveActed)
}

function keyAt(remote: Remote, generation: number): number {
  return (remote >> (firstKeyBit + (generation - 1) * keyBits)) & ((1 << keyBits) - 1)
}

function withKey(remote: Remote, generation: number, bits: number): Remote {
  const shift = firstKeyBit + (generation - 1) * keyBits
  return (
    (remote & ~(((1 << keyBits) - 1) << shift)) | (withoutMoot(bits, isInTime(remote, generation)) << shift)
  )
}

/** Drops late calls that change nothing. A key has its effect once, and a closed key refuses late calls. */
function withoutMoot(bits: number, isInTimeStill: boolean): number {
  const word = bits & 3
  if (word === effect.acted) return bits & ~lateDo
  if (word === effect.none) return bits
  return bits & ~lateUndo & (isInTimeStill ? ~0 : ~lateDo)
}
