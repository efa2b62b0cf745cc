import {
  calmPolicy,
  recommendInstances,
  unitLag,
  type Sample,
  type ScaleTarget,
  type ScalingPolicy,
  type UnitLag,
} from '../../../operations/index.js'
import { roles, rolesNamed } from '../../../connection/internal.js'
import { systemClock } from '../../../platform/index.js'
import { BackgroundLoop, counted, errorMessage } from '../../../platform/internal.js'
import { CliError, exitCodeOf, exitCodes } from '../../output/cli-error.js'
import { scaleTargetOf, type ScaleTargetOptions } from '../../input/scale-target.js'
import { withExistingStore } from '../../input/store.js'
import type { StoreOptions } from '../../input/store-options.js'
import type { Terminal } from '../../output/terminal.js'
import { untilTold } from '../../running/until-signal.js'
import { wholeNumber } from '../../input/whole-number.js'

export interface AutoscaleOptions extends StoreOptions, ScaleTargetOptions {
  readonly min: string
  readonly max: string
  readonly interval: string
  readonly once?: boolean
  readonly json?: boolean
}

/** The time for which samples are kept. No decision uses older samples. */
const keptMs = 2 * calmPolicy.shrinkAfterMs

/** Checks the lag of a role repeatedly and scales the role, until a signal stops the command. */
export async function autoscale(
  role: string,
  options: AutoscaleOptions,
  terminal: Terminal,
): Promise<number> {
  const policy = policyOf(options)
  const intervalMs = 1_000 * wholeNumber('--interval', options.interval, { min: 1, max: 3_600 })
  const wanted = rolesNamed([role])
  if (wanted === null) {
    const known = [...roles, 'all'].join(', ')
    throw new CliError(`role ${JSON.stringify(role)} must be one of ${known}`, exitCodes.usage)
  }
  const target = await scaleTargetOf(role, options)
  return withExistingStore({ options, terminal }, async (settings) => {
    const look = (): Promise<UnitLag> => unitLag(settings, wanted)
    const scaler = new Scaler(target, policy, look, terminal)
    const print = (decision: Decision): void =>
      terminal.print(options.json === true ? JSON.stringify(decision) : describe(decision))
    if (options.once === true) {
      // With `--once`, there are no earlier samples, so one sample must be enough for a decision.
      print(await scaler.turn({ ...policy, growAfterMs: 0, shrinkAfterMs: 0 }))
      return exitCodes.ok
    }
    const turn = async (): Promise<void> => {
      const decision = await scaler.turn(policy)
      if (decision.before !== decision.instances) print(decision)
    }
    await beginning(turn(), scaler)
    const loop = new BackgroundLoop({
      clock: systemClock,
      turn: async () => {
        await turn()
        return intervalMs
      },
      onError: (error) => {
        scaler.fail(error)
        return intervalMs
      },
    })
    loop.start()
    await untilTold()
    await loop.stop()
    return exitCodes.ok
  })
}

/**
 * Awaits the first check. If the store or Azure is not available, only reports this, because later checks
 * follow. Rejects on any other error.
 */
async function beginning(first: Promise<void>, scaler: Scaler): Promise<void> {
  try {
    await first
  } catch (error) {
    if (exitCodeOf(error) !== exitCodes.store) throw error
    scaler.fail(error)
  }
}

interface Decision {
  readonly target: string
  readonly before: number
  readonly instances: number
  readonly lag: number
  readonly leases: number
}

function describe({ target, before, instances, lag, leases }: Decision): string {
  const change = before === instances ? `still ${counted(instances, 'instance')}` : `${before} → ${instances}`
  return `${target}: ${change} (lag ${lag}, ${counted(leases, 'lease')})`
}

/** Remembers samples, and reports a repeated failure only once. */
class Scaler {
  private samples: readonly Sample[] = []
  private said = ''

  constructor(
    private readonly target: ScaleTarget,
    policy: ScalingPolicy,
    private readonly look: () => Promise<UnitLag>,
    private readonly terminal: Terminal,
  ) {
    this.say(`scaling ${target.name} between ${policy.min} and ${counted(policy.max, 'instance')}`)
  }

  async turn(policy: ScalingPolicy): Promise<Decision> {
    const [{ lag, leaseCount }, instances] = await Promise.all([this.look(), this.target.instances()])
    const atMs = systemClock.monotonic()
    this.samples = [...this.samples.filter((sample) => atMs - sample.atMs < keptMs), { atMs, lag, instances }]
    const recommended = recommendInstances(this.samples, leaseCount, policy)
    const decision = { target: this.target.name, before: instances, lag, leases: leaseCount }
    if (recommended === instances) return { ...decision, instances }
    return { ...decision, instances: await this.target.scale(recommended) }
  }

  fail(error: unknown): void {
    this.say(`not scaled; the next check tries again: ${errorMessage(error)}`)
  }

  private say(text: string): void {
    if (text !== this.said) this.terminal.note(text)
    this.said = text
  }
}

function policyOf({ min, max }: AutoscaleOptions): ScalingPolicy {
  const policy = {
    ...calmPolicy,
    min: wholeNumber('--min', min, { min: 0, max: 256 }),
    max: wholeNumber('--max', max, { min: 1, max: 256 }),
  }
  if (policy.min <= policy.max) return policy
  throw new CliError(`--min ${policy.min} must not be above --max ${policy.max}`, exitCodes.usage)
}
