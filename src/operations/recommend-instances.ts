/** One observation of a deployment unit. */
export interface Sample {
  /** The time of the observation, in milliseconds on any clock that never goes back. */
  readonly atMs: number
  /** Changes not yet handled, summed over all leases. */
  readonly lag: number
  /** The number of instances at that time. */
  readonly instances: number
}

/** The bounds of the number of instances, and how quickly it changes. */
export interface ScalingPolicy {
  readonly min: number
  readonly max: number
  /** The lag, in changes, that one instance is expected to handle. */
  readonly lagPerInstance: number
  /** The time for which every sample must agree before instances are added, in milliseconds. */
  readonly growAfterMs: number
  /** The time for which every sample must agree before instances are removed, in milliseconds. */
  readonly shrinkAfterMs: number
}

/** A policy that adds instances quickly and removes them slowly. */
export const calmPolicy: ScalingPolicy = {
  min: 1,
  max: 8,
  lagPerInstance: 500,
  growAfterMs: 30_000,
  shrinkAfterMs: 300_000,
}

/**
 * Returns how many instances a unit should have. There are never more than leases, because the rest would be
 * idle.
 *
 * A number outside the bounds is corrected at once. Otherwise it changes only when all samples of a period
 * ask for a change in the same direction and have the present number of instances. A sample that contradicts
 * starts the period again. The number grows to the least that these samples ask for, at most doubling. It
 * shrinks to the most that they ask for, at most by half. Noise around a level therefore changes nothing.
 */
export function recommendInstances(
  samples: readonly Sample[],
  leaseCount: number,
  policy: ScalingPolicy = calmPolicy,
): number {
  const latest = samples.at(-1)
  // A unit without leases still needs one instance, which creates them.
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

/**
 * Returns the number needed to keep instances: twice the number needed to add them, so that the level which
 * instances have just reached does not remove them again.
 */
function neededToStay({ lag }: Sample, { lagPerInstance }: ScalingPolicy): number {
  return Math.ceil((2 * lag) / lagPerInstance)
}

/**
 * Returns the latest samples, if they have the present number of instances, span `ms`, and all satisfy
 * `isSo`; or else null.
 */
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
