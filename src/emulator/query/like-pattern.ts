/**
 * The meaning of a LIKE pattern: `%` any run of characters, `_` one, `[a-c]` one of a set, `[^a-c]` one outside it; a
 * character after `escape` stands for itself.
 */
export function compilePattern(pattern: string, escape: string | undefined): (text: string) => boolean {
  const steps = stepsOf(pattern, escape)
  return (text) => matches(steps, text)
}

/** One character of the text, or any run of them. */
type Step = 'run' | ((character: string) => boolean)

function stepsOf(pattern: string, escape: string | undefined): Step[] {
  const steps: Step[] = []
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at)
    const set = character === '[' ? /^\[(\^?)([^\]]+)\]/.exec(pattern.slice(at)) : null
    if (character === escape && at + 1 < pattern.length) {
      at += 1
      steps.push(literalStep(pattern.charAt(at)))
    } else if (character === '%') {
      steps.push('run')
    } else if (character === '_') {
      steps.push(() => true)
    } else if (set !== null) {
      at += set[0].length - 1
      steps.push(setStep(set[2] ?? '', set[1] === '^'))
    } else {
      steps.push(literalStep(character))
    }
  }
  return steps
}

function literalStep(wanted: string): Step {
  return (character) => character === wanted
}

function setStep(members: string, isExcluding: boolean): Step {
  const ranges: { from: string; to: string }[] = []
  for (let at = 0; at < members.length; at += 1) {
    const from = members.charAt(at)
    const isRange = members.charAt(at + 1) === '-' && at + 2 < members.length
    if (isRange) at += 2
    ranges.push({ from, to: members.charAt(at) })
  }
  return (character) => ranges.some(({ from, to }) => from <= character && character <= to) !== isExcluding
}

/** Goes back to the last run only, so that time grows with pattern times text, whatever the pattern. */
function matches(steps: readonly Step[], text: string): boolean {
  let step = 0
  let at = 0
  let lastRun = -1
  let resumeAt = 0
  while (at < text.length) {
    const current = steps[step]
    if (current === 'run') {
      lastRun = step
      resumeAt = at
      step += 1
    } else if (current?.(text.charAt(at)) === true) {
      step += 1
      at += 1
    } else if (lastRun >= 0) {
      resumeAt += 1
      step = lastRun + 1
      at = resumeAt
    } else {
      return false
    }
  }
  return steps.slice(step).every((rest) => rest === 'run')
}
