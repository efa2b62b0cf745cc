/** One look at a deployment unit. */
export interface Sample {
  /** When it was taken, milliseconds on any clock that never goes back. */
  readonly atMs: number
  /** Changes not yet handled, of all leases together. */
  readonly lag: number
  /** Instances at that time. */
  readonly instances: number
}

/** Between which bounds, and how quickly, it is scaled. */
export interface ScalingPolicy {
  readonly min: number
  readonly max: number
  /** Changes of lag that one instance is expected to work off before more are called for. */
  readonly lagPerInstance: number
  /** Every sample of this long must agree before there are more instances, in milliseconds. */
  readonly growAfterMs: number
  /** Every sample of this long must agree before there are fewer, in milliseconds. */
  readonly shrinkAfterMs: number
}

/** Quick to help, slow to send help away. */
export const calmPolicy: ScalingPolicy = {
  min: 1,
  max: 8,
  lagPerInstance: 500,
  growAfterMs: 30_000,
  shrinkAfterMs: 300_000,
}

/**
 * How many instances a unit should have. More than leases would be idle, so there are never more. It moves only when
 * every sample of a while, and of nothing but the present number of instances, asks for a move in the same direction;
 * one that contradicts starts the while again. It grows to what the least of them asks for, at most doubling,
 * and shrinks to what the most of them asks for, at most by half: noise around a level moves nothing.
 */
export function recommendInstances(
  samples: readonly Sample[],
  leaseCount: number,
  policy: ScalingPolicy = calmPolicy,
): number {
  const latest = samples.at(-1)
  // Without leases one instance is needed all the same: it creates them.
  const most = Math.min(policy.max, Math.max(leaseCount, 1))
  const least = Math.min(policy.min, most)
  if (latest === undefined) return least
  if (leaseCount === 0) return most
  const now = latest.instances
  const within = (count: number): number => Math.min(most, Math.max(least, count))
  if (within(now) !== now) return within(now)
  const grow = agreed(samples, policy.growAfterMs, (sample) => neededBy(sample, policy) > now)
  if (grow !== null)
    return within(Math.min(2 * Math.max(now, 1), Math.min(...grow.map((one) => neededBy(one, policy)))))
  const shrink = agreed(samples, policy.shrinkAfterMs, (sample) => neededToStay(sample, policy) < now)
  if (shrink === null) return now
  return within(Math.max(Math.ceil(now / 2), ...shrink.map((one) => neededToStay(one, policy))))
}

function neededBy({ lag }: Sample, { lagPerInstance }: ScalingPolicy): number {
  return Math.ceil(lag / lagPerInstance)
}

/** Twice as easily needed as called for: what has just helped to reach a level is not sent away at that level. */
function neededToStay({ lag }: Sample, { lagPerInstance }: ScalingPolicy): number {
  return Math.ceil((2 * lag) / lagPerInstance)
}

/** The latest samples, if they are of the present number of instances, span `ms`, and all satisfy `isSo`. */
function agreed(
  samples: readonly Sample[],
  ms: number,
  isSo: (sample: Sample) => boolean,
): readonly Sample[] | null {
  const latest = samples.at(-1)
  if (latest === undefined) return null
  const window: Sample[] = []
  for (const sample of samples.toReversed()) {
    if (sample.instances !== latest.instances || !isSo(sample)) return null
    window.push(sample)
    if (latest.atMs - sample.atMs >= ms) return window
  }
  return null
}
