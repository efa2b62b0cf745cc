/**
 * What is wrong with options that no rule knows, one sentence each. The compiler refuses them; what JavaScript passes, or
 * what was read from a file, would otherwise be taken as if it were not there.
 */
export function unknownOptions(options: object, known: readonly string[]): string[] {
  return Object.keys(options).flatMap((name) => {
    if (known.includes(name)) return []
    const meant = known.find((candidate) => candidate.toLowerCase() === name.toLowerCase())
    const advice = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`
    return [`there is no option ${JSON.stringify(name)}: ${advice}`]
  })
}
