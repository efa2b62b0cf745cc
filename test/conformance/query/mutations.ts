import type { Draw } from './random-query.js'

/** A name, a number, a string, a comment, or any other character. */
const token = /@?\w+(?:\.\d+)?|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\s+|[^]/gu

/** Texts that break assumptions: huge numbers, names of every object, halves of characters, open brackets. */
const strange: readonly string[] = [
  '1e308',
  '-1.79769e+308',
  '9007199254740993',
  '0x1F',
  '1e-400',
  '""',
  '"\\ud800"',
  '"\u{1f600}"',
  "'__proto__'",
  '__proto__',
  'constructor',
  '@one',
  '@missing',
  'null',
  'undefined',
  'true',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '*',
  '??',
  '.',
  ',',
  '--',
  '/*',
  '\u0000',
  'ä',
  'NOT',
  'SELECT',
  'VALUE',
  'FROM',
  'c',
  'COUNT(1)',
  'c.l',
  '[[[]]]',
  '{"a":{}}',
  '"%_%_%_%_%_"',
  '"(a+)+$"',
]

/** Changes a query in up to four places. Most results are invalid, and some are valid and strange. */
export function mutated(draw: Draw, queries: readonly string[]): string {
  const pickOf = (texts: readonly string[]): string => texts[draw(texts.length)] ?? ''
  let tokens: readonly string[] = pickOf(queries).match(token) ?? []
  const others = pickOf(queries).match(token) ?? []
  const times = 1 + draw(4)
  for (let time = 0; time < times; time += 1) {
    const at = draw(tokens.length + 1)
    const to = at + draw(4)
    const [before, part, after] = [tokens.slice(0, at), tokens.slice(at, to), tokens.slice(to)]
    const changes: readonly (readonly string[])[] = [
      [...before, ...after],
      [...before, ...part, ...part, ...after],
      [...before, ...part.toReversed(), ...after],
      [...before, pickOf(strange), ...after],
      [...before, ...part, ' ', pickOf(strange), ' ', ...after],
      [...before, '(', ...part, ')', ...after],
      [...before, '('.repeat(draw(120)), ...part, ')'.repeat(draw(120)), ...after],
      [...before, '(SELECT VALUE ', ...part, ' FROM c)', ...after],
      [...before, ...others.slice(draw(others.length), draw(others.length + 1)), ...after],
      [...before, pickOf(part), pickOf(others), ...after],
    ]
    tokens = changes[draw(changes.length)] ?? tokens
  }
  return tokens.join('')
}
