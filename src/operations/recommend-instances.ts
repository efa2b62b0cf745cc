/** One observation of a deployment unit. */
export interface Sample {
  /** The time of the observation in milliseconds, by any clock that never goes back. */
  readonly atMs: number
  /** The number of changes that are not yet handled, summed over all leases. */
  readonly lag: number
  readonly instances: number
}

/** The bounds of the number of instances, and the times that limit how quickly this number changes. */
export interface ScalingPolicy {
  readonly min: number
  readonly max: number
  /** The number of waiting changes that one instance is expected to handle. */
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
 * Returns the number of instances that a unit should have. At most one instance for each lease is useful.
 *
 * A number outside the bounds is corrected immediately. Otherwise the number changes only if all samples of a
 * period ask for a change in the same direction and have the present number of instances. A sample that does
 * not agree starts the period again. The number grows to the smallest number that these samples ask for, and
 * at most doubles. It shrinks to the largest number that they ask for, and at most by half. A lag that varies
 * around one level therefore changes nothing.
 */
export function recommendInstances(
  samples: readonly Sample[],
  leaseCount: number,
  policy: ScalingPolicy = calmPolicy,
): number {
  const latest = samples.at(-1)
  // A unit without leases needs an instance to create the leases.
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
 * Returns the number of instances to keep for a lag, which is about twice the number that the lag needs.
 * Otherwise the same lag could first add and then remove instances.
 */
function neededToStay({ lag }: Sample, { lagPerInstance }: ScalingPolicy): number {
  return Math.ceil((2 * lag) / lagPerInstance)
}

/**
 * Returns the latest samples if they have the present number of instances, cover a period of `ms`, and all
 * satisfy `isSo`. Otherwise returns null.
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
