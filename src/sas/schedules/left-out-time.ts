const dayMs = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * Returns the end of the time that a zone leaves out, if it leaves out this time of the wall clock. Otherwise
 * returns null.
 *
 * @param wallMs the time of the wall clock, as if the zone were UTC
 */
export function endOfLeftOut(timeZone: string, wallMs: number): number | null {
  const before = offsetMs(timeZone, wallMs - dayMs)
  const after = offsetMs(timeZone, wallMs - before)
  const isShown = (offset: number): boolean => offsetMs(timeZone, wallMs - offset) === offset
  if (isShown(before) || isShown(after)) return null
  // The offset changes between these two instants, on a full second.
  let [low, high] = [wallMs - dayMs, wallMs - before]
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2_000) * 1_000
    if (offsetMs(timeZone, middle) === before) low = middle
    else high = middle
  }
  return high
}

/** Returns what the wall clocks of a zone show at an instant, as if the zone were UTC. */
export function wallClock(timeZone: string, ms: number): number {
  return ms + offsetMs(timeZone, ms)
}

function offsetMs(timeZone: string, ms: number): number {
  const shown = new Map(
    formatOf(timeZone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const at = (type: Intl.DateTimeFormatPartTypes): number => shown.get(type) ?? 0
  const wallMs = Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second'))
  return wallMs - Math.floor(ms / 1_000) * 1_000
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(timeZone, made)
  return made
}
