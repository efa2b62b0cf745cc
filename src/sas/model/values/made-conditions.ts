const made = new WeakSet()

/** Marks an object as a condition, so that it is recognised where a value is expected. */
export function marked<T extends object>(condition: T): T {
  made.add(condition)
  return condition
}

/** Checks whether a function of `condition` has made this object. */
export function isMadeCondition(value: object): boolean {
  return made.has(value)
}
