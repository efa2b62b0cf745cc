/** A rule for a number: it must be whole, and within bounds. */
export type CountRule = readonly [name: string, value: number, min: number, max: number]

/** Whether a rule is satisfied, and the problem if it is not. */
export type Rule = readonly [isKept: boolean, problem: string]

/** Returns the problems of numbers, each with the option's name, its value and the rule. */
export function countProblems(counts: readonly CountRule[]): string[] {
  return counts
    .filter(([, value, min, max]) => !(Number.isInteger(value) && value >= min && value <= max))
    .map(([name, value, min, max]) =>
      max === Infinity
        ? `${name} is ${String(value)}; it must be a whole number, at least ${min}`
        : `${name} is ${String(value)}; it must be a whole number from ${min} to ${max}`,
    )
}

export function brokenRules(rules: readonly Rule[]): string[] {
  return rules.filter(([isKept]) => !isKept).map(([, problem]) => problem)
}
