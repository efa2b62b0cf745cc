/** The advice on methods of lists and texts, of which a reference has none. The key is a method's name. */
const advice = new Map<string, string>()

const perItem = "add a step for each item, as in job.forEach('pack', job.input.items, (item) => …)"
const asked = "ask in a condition, as in { when: condition.startsWith(job.input.name, 'A') }"
const joined = 'write text`…${reference}…` for a text that contains it'
const inAgent = 'work with its value in an agent'

const byAdvice: readonly (readonly [string, readonly string[]])[] = [
  [perItem, ['map', 'forEach', 'flatMap', 'filter', 'reduce', 'reduceRight', 'entries', 'keys', 'values']],
  [asked, ['includes', 'some', 'every', 'startsWith', 'endsWith', 'match', 'indexOf', 'localeCompare']],
  [joined, ['concat', 'join', 'toString', 'toLocaleString', 'valueOf']],
  [
    inAgent,
    [
      ...['find', 'findIndex', 'findLast', 'slice', 'sort', 'toSorted', 'reverse', 'toReversed', 'flat'],
      ...['push', 'pop', 'shift', 'unshift', 'splice', 'lastIndexOf', 'at'],
      ...['toUpperCase', 'toLowerCase', 'trim', 'trimStart', 'trimEnd', 'split', 'replace', 'replaceAll'],
      ...['padStart', 'padEnd', 'substring', 'substr', 'charAt', 'charCodeAt', 'codePointAt', 'matchAll'],
      ...['normalize', 'repeat', 'search', 'toFixed', 'toPrecision', 'toExponential', 'hasOwnProperty'],
    ],
  ],
]
for (const [what, names] of byAdvice) for (const name of names) advice.set(name, what)

/** Returns what to write in place of a call of this method on a reference, or null for another name. */
export function adviceOnMethod(name: string): string | null {
  return advice.get(name) ?? null
}
