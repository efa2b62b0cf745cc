import { distance } from 'fastest-levenshtein'
import { z } from 'zod'

/**
 * The options of a function, each with the kind of its value. A kind is the zod type that checks and reads an
 * option.
 */
export type Shape = Readonly<Record<string, z.ZodType>>

/** The values of options after they were read. Durations are in milliseconds, and defaults are filled in. */
export type Values<S extends Shape> = { readonly [K in keyof S]: z.output<S[K]> }

/** The result of reading options. */
export interface Read<S extends Shape> {
  /**
   * An option with a problem has its default here, so that rules about several options can still be checked.
   * A required option with a problem is undefined.
   */
  readonly values: Values<S>
  /** One sentence for each problem. */
  readonly problems: readonly string[]
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/**
 * Reads options by their shape. Checks everything, because the compiler checks neither JavaScript callers nor
 * files. `meant` has advice for names that other libraries use for one of the options.
 */
export function readOptions<S extends Shape>(
  shape: S,
  given: object,
  meant: Readonly<Record<string, string>> = {},
): Read<S> {
  const isGiven = isObject(given)
  const { values, issues } = read(shape, isGiven ? given : {}, meant)
  const problems = isGiven ? issues.map(sentence) : [`the argument ${misfit(shown(given), 'an object')}`]
  return { values, problems }
}

/** Reads the options of a shape from an object that also has other options. Ignores unknown names. */
export function readPart<S extends Shape>(shape: S, whole: object): Read<S> {
  const names = Object.keys(shape)
  return readOptions(shape, Object.fromEntries(names.map((name) => [name, Reflect.get(whole, name)])))
}

/** Returns the values of options, or throws the error that `errorOf` creates from the problems. */
export function checkedOptions<S extends Shape>(
  shape: S,
  given: object,
  errorOf: (problems: readonly string[]) => Error,
): Values<S> {
  const { values, problems } = readOptions(shape, given)
  if (problems.length > 0) throw errorOf(problems)
  return values
}

/** Returns the kind of an option whose value is an object of further options. */
export function group<S extends Shape>(shape: S): z.ZodType<Values<S>> {
  const rule = `an object with ${Object.keys(shape).join(', ')}`
  return kind<object>(rule, isObject).transform((given, context) => {
    const { values, issues } = read(shape, given)
    for (const issue of issues) context.issues.push(asIssue(issue, given))
    return values
  })
}

/** Returns the kind of an option whose value decides, by `choose`, which kind applies. */
export function chosen<T>(choose: (value: unknown) => z.ZodType<T>): z.ZodType<T> {
  return z.unknown().transform((value, context) => {
    const { data, error } = choose(value).safeParse(value)
    for (const issue of error?.issues ?? []) context.issues.push(asIssue(issue, value))
    return data ?? z.NEVER
  })
}

/** Returns the kind of an option whose value is checked by `of` and passed on unchanged. */
export function asGiven<T>(of: z.ZodType): z.ZodType<T> {
  return chosen((value) => of.transform(() => value as T))
}

/** Returns the kind of values that pass a check. `rule` completes the sentence "it must be". */
export function kind<T>(
  rule: string,
  isIt: (value: unknown) => boolean,
  show: (value: unknown) => string = shown,
): z.ZodType<T> {
  return z.custom<T>(isIt, { error: ({ input }) => misfit(show(input), rule) })
}

/** Returns the kind of an option that may be left out. A null counts as left out. */
export function optional<T>(of: z.ZodType<T>): z.ZodType<T | undefined>
export function optional<T, D>(of: z.ZodType<T>, fallback: D): z.ZodType<T | D>
export function optional<T, D>(of: z.ZodType<T>, fallback?: D): z.ZodType<T | D | undefined> {
  return of.nullish().transform((value) => value ?? fallback)
}

/** Returns the value and its rule, as the text that follows an option's name in a problem. */
export function misfit(value: string, rule: string): string {
  return `is ${value}; it must be ${rule}`
}

/** The largest number of list members that a problem shows. */
const shownMembers = 5

/** Describes a value. Never shows the properties of an object, which may be a client with its key. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'symbol') return 'a symbol'
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'an invalid Date' : value.toISOString()
  if (!Array.isArray(value)) return 'an object'
  return `[${value.slice(0, shownMembers).map(shown).join(', ')}${value.length > shownMembers ? ', …' : ''}]`
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function read<S extends Shape>(
  shape: S,
  given: object,
  meant: Readonly<Record<string, string>> = {},
): { values: Values<S>; issues: Issue[] } {
  const issues = unknownNames(shape, given, meant)
  const values = Object.entries(shape).map(([name, of]) => {
    const { data, error } = of.safeParse(Reflect.get(given, name))
    for (const { path, message } of error?.issues ?? []) issues.push({ path: [name, ...path], message })
    return [name, error === undefined ? data : of.safeParse(undefined).data] as const
  })
  return { values: Object.fromEntries(values) as Values<S>, issues }
}

/**
 * Returns a problem for each unknown name. The compiler does not find such names in JavaScript callers and in
 * files.
 */
function unknownNames(shape: Shape, given: object, meant: Readonly<Record<string, string>>): Issue[] {
  const known = Object.keys(shape)
  return Object.keys(given).flatMap((name) => {
    if (Object.hasOwn(shape, name)) return []
    const similar = similarName(name, known)
    const other = similar === undefined ? `the options are ${known.join(', ')}` : `did you mean ${similar}?`
    const advice = Object.hasOwn(meant, name) ? `write ${meant[name] ?? ''}` : other
    return [{ path: [name], message: `is not an option: ${advice}` }]
  })
}

/** Returns the known name that a misspelt name means, or undefined. */
export function similarName(name: string, known: readonly string[]): string | undefined {
  return known.find((candidate) => isMeant(candidate.toLowerCase(), name.toLowerCase()))
}

/**
 * Checks whether `name` means `candidate`: at most one in four of its characters is wrong, or one of three, or only their order is.
 * In earlier versions, the names of durations ended in their unit.
 */
function isMeant(candidate: string, name: string): boolean {
  const isReordered = Array.from(candidate).sort().join('') === Array.from(name).sort().join('')
  return (
    name === `${candidate}ms` ||
    isReordered ||
    distance(candidate, name) <= (name.length === 3 ? 1 : name.length / 4)
  )
}

function sentence({ path, message }: Issue): string {
  return [...path.map(String)].join('.') + ` ${message}`
}

function asIssue({ path, message }: Issue, input: unknown) {
  return { code: 'custom' as const, path: [...path], message, input }
}
