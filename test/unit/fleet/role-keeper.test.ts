import { describe, expect, it } from 'vitest'
import type { Exit, Instance } from '../../../src/fleet/instance.js'
import { RoleKeeper } from '../../../src/fleet/role-keeper.js'
import { seededRandom, VirtualClock } from '../../../src/platform/index.js'
import { TelemetryRecorder } from '../../../src/telemetry/index.js'
import { deferred } from '../../support/deferred.js'

interface Child extends Instance {
  readonly heard: string[]
  runs(): void
  ends(exit: Partial<Exit>): void
}

function world() {
  const clock = new VirtualClock()
  const children: Child[] = []
  const released: string[] = []
  const telemetry = new TelemetryRecorder()
  const launch = (): Child => {
    const ended = deferred<Exit>()
    const heard: string[] = []
    let hasRun = false
    const child: Child = {
      instanceName: `child-${children.length}`,
      processId: children.length,
      startedAtMs: clock.monotonic(),
      get hasRun() {
        return hasRun
      },
      heard,
      ended: ended.promise,
      figures: async () => null,
      rebalance: () => heard.push('rebalance'),
      stop: () => heard.push('stop'),
      kill: () => heard.push('kill'),
      runs: () => (hasRun = true),
      ends: ({ code = null, signal = null }) => ended.resolve({ code, signal }),
    }
    children.push(child)
    return child
  }
  const keeper = new RoleKeeper({
    role: 'agents',
    launch,
    releaseLeases: async (instanceName) => {
      released.push(instanceName)
      return ['0']
    },
    onChanged: () => undefined,
    clock,
    random: seededRandom(1),
    telemetry,
    stopWithinMs: 4_500,
  })
  const child = (index: number): Child => {
    const found = children[index]
    if (found === undefined) throw new Error(`there is no child ${index}`)
    return found
  }
  return { clock, keeper, children, child, released, telemetry }
}

describe('the keeper of a role', () => {
  it('immediately replaces a process that dies, and releases only its leases (D11)', async () => {
    const { clock, keeper, children, child, released } = world()
    keeper.scale(2)
    child(0).runs()
    child(0).ends({ signal: 'SIGKILL' })
    await clock.advance(0)
    expect(children).toHaveLength(3)
    expect(released).toEqual(['child-0'])
    expect(keeper.instances.map(({ instanceName }) => instanceName)).toEqual(['child-1', 'child-2'])
  })

  it('waits longer after each early death, but starts a process at once when it is scaled', async () => {
    const { clock, keeper, children, child, telemetry } = world()
    keeper.scale(1)
    for (let index = 0; index < 4; index += 1) {
      child(index).runs()
      child(index).ends({ code: 1 })
      await clock.advance(4_000)
    }
    const waits = telemetry.of('instance.ended').map(({ restartInMs }) => restartInMs ?? -1)
    expect(waits[0]).toBe(0)
    expect(waits).toEqual(waits.toSorted((one, other) => one - other))
    expect(new Set(waits).size).toBe(4)
    child(4).ends({ code: 1 })
    await clock.advance(0)
    expect(children).toHaveLength(5)
    keeper.scale(1)
    await clock.advance(0)
    expect(children).toHaveLength(6)
  })

  it('forgets earlier crashes once a process has run for half a minute', async () => {
    const { clock, keeper, children, child } = world()
    keeper.scale(1)
    child(0).runs()
    child(0).ends({ code: 1 })
    await clock.advance(31_000)
    child(1).ends({ code: 1 })
    await clock.advance(0)
    expect(children).toHaveLength(3)
  })

  it('stops the youngest surplus processes, kills one that does not stop, and replaces none', async () => {
    const { clock, keeper, children, child, released } = world()
    keeper.scale(3)
    keeper.scale(1)
    expect(children.map(({ heard }) => heard)).toEqual([[], ['stop'], ['stop']])
    child(2).ends({ code: 0 })
    await clock.advance(4_500)
    expect(child(1).heard).toEqual(['stop', 'kill'])
    expect(child(2).heard).toEqual(['stop'])
    child(1).ends({ signal: 'SIGKILL' })
    await clock.advance(0)
    expect(released).toEqual(['child-2', 'child-1'])
    expect(children).toHaveLength(3)
  })

  it('reports the role as unhealthy while none of its wanted processes runs', async () => {
    const { clock, keeper, child } = world()
    expect(keeper.unhealthyReason(), 'nothing should be').toBeNull()
    keeper.scale(2)
    expect(keeper.unhealthyReason()).toBe('no process of agents runs: starting 2 of 2')
    child(0).runs()
    expect(keeper.unhealthyReason()).toBeNull()
    child(0).ends({ code: 1 })
    await clock.advance(0)
    expect(keeper.unhealthyReason()).toMatch(/^no process of agents runs/)
    child(1).runs()
    expect(keeper.unhealthyReason()).toBeNull()
    keeper.scale(0)
    expect(keeper.unhealthyReason()).toBeNull()
  })

  it('has stopped only when every process is gone', async () => {
    const { clock, keeper, child } = world()
    keeper.scale(1)
    let hasStopped = false
    const stopping = keeper.stop().then(() => {
      hasStopped = true
    })
    await clock.advance(100)
    expect(hasStopped).toBe(false)
    child(0).ends({ code: 0 })
    await stopping
    expect(keeper.instances).toEqual([])
  })

  it.each([2, 5])(
    'gives up when its first process ends with %d, because the next would do the same',
    async (code) => {
      const { clock, keeper, children, child } = world()
      keeper.scale(2)
      child(0).ends({ code })
      expect(await keeper.givenUp).toBe(code)
      await clock.advance(60_000)
      expect(children).toHaveLength(2)
    },
  )

  it('does not give up once a process has run, because the store may refuse for a while', async () => {
    const { clock, keeper, children, child } = world()
    keeper.scale(1)
    child(0).runs()
    child(0).ends({ code: 5 })
    await clock.advance(0)
    expect(children).toHaveLength(2)
  })
})
