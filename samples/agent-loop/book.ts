import type { Effect, Facts } from '../remote-service/index.js'

const pages = 99

/** The rounds of the agent: one to open the book, two for each page, and one to publish. */
export const rounds = 2 * pages + 2

const wordsOn = (page: number): number => 200 + ((page * 37) % 100)

/** The number of words that the agent should publish. */
export const words = Array.from({ length: pages }, (_, index) => wordsOn(index + 1)).reduce((a, b) => a + b)

/** What the tools answer about the book. */
export const facts: Facts = ({ kind, body }) => {
  if (kind === 'read') return { words: wordsOn(Number(body['argument'])) }
  return kind === 'publish' ? {} : { pages }
}

/** Returns the problems of these effects: each round must have exactly one, in the order of the rounds. */
export function problemsOf(effects: readonly Pick<Effect, 'kind' | 'key'>[]): readonly string[] {
  const problems = effects.length === rounds ? [] : [`${effects.length} effects in ${rounds} rounds`]
  const seen = new Set<string>()
  for (const [index, { kind, key }] of effects.entries()) {
    const expected = toolOf(index + 1)
    if (kind !== expected) problems.push(`effect ${index + 1} is ${kind} instead of ${expected}`)
    if (roundOf(key) !== index + 1) problems.push(`effect ${index + 1} has the key ${key}`)
    if (seen.has(key)) problems.push(`the key ${key} has two effects`)
    seen.add(key)
  }
  return problems
}

function toolOf(round: number): string {
  if (round === 1) return 'open'
  if (round === rounds) return 'publish'
  return round % 2 === 0 ? 'read' : 'note'
}

/** Returns the round in a key. The first round has the key of the step, and later ones end in `/r2`, `/r3`. */
function roundOf(key: string): number {
  return Number(/\/r(\d+)$/.exec(key)?.[1] ?? 1)
}
