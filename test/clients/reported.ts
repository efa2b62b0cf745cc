import { checks } from './checks.js'

/** What a client did in one row of the matrix. */
export interface Outcome {
  readonly outcome: 'ok' | 'fails' | 'unsupported'
  /** Why the check fails, or what the client does not have. Empty if the outcome is ok. */
  readonly reason: string
}

/** What the program of a client reported. */
export interface Report {
  /** The version of the client that ran. Empty if the program ended before it named the version. */
  readonly version: string
  /** The language or machine that ran the client, such as `Python 3.11.7`. */
  readonly runtime: string
  readonly outcomes: ReadonlyMap<string, Outcome>
}

type Line = Partial<Record<'version' | 'runtime' | 'check' | 'outcome' | 'reason', string>>

/** Reads the output of a program: one JSON object a line. Rows that the program left out fail. */
export function reportIn(output: string, chosen: readonly string[]): Report {
  const lines = output.split('\n').flatMap(lineIn)
  const outcomes = new Map(lines.flatMap(outcomeIn))
  for (const name of chosen) {
    if (!outcomes.has(name)) outcomes.set(name, failed('the program ended without a report of this check'))
  }
  const { version = '', runtime = '' } = lines.find((line) => line.version !== undefined) ?? {}
  return { version, runtime, outcomes }
}

/** Returns the report of a client that could not run. */
export function reportOfFailure(reason: string, chosen: readonly string[]): Report {
  return { version: '', runtime: '', outcomes: new Map(chosen.map((name) => [name, failed(reason)])) }
}

function failed(reason: string): Outcome {
  return { outcome: 'fails', reason }
}

function lineIn(text: string): Line[] {
  if (!text.startsWith('{')) return []
  try {
    return [JSON.parse(text) as Line]
  } catch {
    return []
  }
}

function outcomeIn({ check, outcome, reason = '' }: Line): [string, Outcome][] {
  if (check === undefined || !checks.some(({ name }) => name === check)) return []
  if (outcome !== 'ok' && outcome !== 'fails' && outcome !== 'unsupported') return []
  return [[check, { outcome, reason: reason.trim().replace(/\s+/gu, ' ').slice(0, 600) }]]
}
