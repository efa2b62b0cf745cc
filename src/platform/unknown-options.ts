/**
 * Returns one sentence for each option that is not in `known`. The compiler refuses such options, but without this
 * check those of JavaScript callers and of files would be ignored.
 */
export function unknownOptions(options: object, known: readonly string[]): string[] {
  return Object.keys(options).flatMap((name) => {
    if (known.includes(name)) return []
    const meant = known.find((candidate) => candidate.toLowerCase() === name.toLowerCase())
    const advice = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`
    return [`there is no option ${JSON.stringify(name)}: ${advice}`]
  })
}
