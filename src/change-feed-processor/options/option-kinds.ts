import { isContainer } from '../feed/cosmos-ports.js'
import { ProcessorOptionsError } from '../feed/errors.js'

/** The required kind of an option's value, in words and as a test. */
interface Kind {
  readonly isIt: (value: unknown) => boolean
  readonly inWords: string
}

const number: Kind = {
  isIt: (value) => typeof value === 'number' && !Number.isNaN(value),
  inWords: 'a number',
}
const text: Kind = { isIt: (value) => typeof value === 'string', inWords: 'a string' }
const callback: Kind = { isIt: (value) => typeof value === 'function', inWords: 'a function' }

const start: Kind = {
  isIt: (value) => value === 'now' || value === 'beginning' || value instanceof Date,
  inWords: '"now", "beginning" or a Date',
}

/** An object with these methods; other members do not matter. */
function having(inWords: string, ...methods: readonly string[]): Kind {
  return { isIt: (value) => hasMethods(value, methods), inWords }
}

function oneOf(inWords: string, ...kinds: readonly Kind[]): Kind {
  return { isIt: (value) => kinds.some((kind) => kind.isIt(value)), inWords }
}

function hasMethods(value: unknown, methods: readonly string[]): boolean {
  const isObject = typeof value === 'object' && value !== null
  return isObject && methods.every((method) => typeof Reflect.get(value, method) === 'function')
}

const container: Kind = { isIt: isContainer, inWords: 'a Container of @azure/cosmos' }

function hasMember(value: unknown, member: string): boolean {
  return typeof value === 'object' && value !== null && member in value
}

const kinds: Readonly<Record<string, Kind>> = {
  monitoredContainer: oneOf(
    'a Container of @azure/cosmos, or a ChangeFeed',
    container,
    having('', 'readNext', 'physicalRanges'),
  ),
  leaseContainer: oneOf('a Container of @azure/cosmos, or a LeaseStore', container, {
    isIt: (value) => hasMethods(value, ['list']) && hasMember(value, 'initialization'),
    inWords: '',
  }),
  processorName: text,
  instanceName: text,
  maxItemCount: number,
  pollIntervalMs: oneOf('a number, or { min, max }', number, {
    isIt: (value) => hasMember(value, 'min') && hasMember(value, 'max'),
    inWords: '',
  }),
  restAfterPageMs: number,
  leaseAcquireIntervalMs: number,
  leaseRenewIntervalMs: number,
  leaseExpirationIntervalMs: number,
  trustMarginMs: number,
  checkpointIntervalMs: number,
  minLeases: number,
  maxLeases: number,
  leasesPerFeedRange: number,
  stopTimeoutMs: number,
  delegateTimeoutMs: number,
  readTimeoutMs: number,
  concurrency: number,
  startFrom: start,
  to: start,
  mode: text,
  checkpoint: text,
  failurePolicy: { isIt: (value) => hasMember(value, 'deadLetter'), inWords: 'an object with a deadLetter' },
  unhealthyReason: callback,
  onLeaseAcquired: callback,
  onLeaseReleased: callback,
  onError: callback,
  hints: having('FeedHints', 'subscribe'),
  telemetry: having('a Telemetry sink', 'emit'),
  clock: having('a Clock', 'now', 'monotonic', 'sleep', 'schedule'),
  random: having('a Random', 'next', 'id'),
}

/** The options of the right kinds, and the problems of the others. */
export interface FittingOptions<O> {
  /** The options with a value of the right kind. Null counts as left out, which means the default. */
  readonly fitting: Partial<O>
  readonly problems: readonly string[]
}

/** Sorts out values that would make the rules themselves fail, because types do not bind users of JavaScript. */
export function fittingOptions<O extends object>(
  options: O,
  required: readonly (keyof O & string)[],
): FittingOptions<O> {
  const problems: string[] = []
  const fitting: Record<string, unknown> = {}
  const given = Object.entries(options) as [string, unknown][]
  const missing = required.filter((name) => options[name] === undefined || options[name] === null)
  for (const name of missing)
    problems.push(`${name} is missing; it must be ${kinds[name]?.inWords ?? 'there'}`)
  for (const [name, value] of given) {
    const kind = kinds[name]
    if (value === null || value === undefined) continue
    if (kind === undefined || kind.isIt(value)) fitting[name] = value
    else problems.push(`${name} is ${shown(value)}; it must be ${kind.inWords}`)
  }
  return { fitting: fitting as Partial<O>, problems }
}

/** Describes a value without showing its members: it may be a client with its key. */
function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object of another kind'
  // Only primitives are left here, which the linter does not see.
  const left = value as number | bigint | boolean | symbol
  return `${String(left)} (${typeof left})`
}

/** Throws {@link ProcessorOptionsError} unless every option is of its kind and all required ones are present. */
export function assertFitting<O extends object>(options: O, required: readonly (keyof O & string)[]): void {
  const { problems } = fittingOptions(options, required)
  if (problems.length > 0) throw new ProcessorOptionsError(problems)
}
