import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { Reserve, reserveAfterMs } from '../../../src/fleet/reserve.js'
import { VirtualClock } from '../../../src/platform/index.js'

const begin = { role: 'agents', instanceName: 'vm-1' }

function world() {
  const clock = new VirtualClock()
  const children = [] as ReturnType<typeof aChild>[]
  const reserve = new Reserve(() => {
    const child = aChild()
    children.push(child)
    return child as unknown as ChildProcess
  }, clock)
  const prepared = async () => {
    reserve.prepare()
    await clock.advance(reserveAfterMs)
    return children.at(-1)
  }
  return { clock, children, reserve, prepared }
}

function aChild() {
  const heard: unknown[] = []
  return Object.assign(new EventEmitter(), {
    connected: true,
    heard,
    send: (message: unknown) => heard.push(message),
    kill: (signal: string) => heard.push(signal),
  })
}

it('a process in reserve gets a role after it has loaded the program, and only once', async () => {
  const { reserve, prepared } = world()
  const child = await prepared()
  expect(reserve.take(begin), 'it still loads').toBeNull()
  child?.emit('message', { say: 'loaded' })
  expect(reserve.take(begin)).toBe(child)
  expect(child?.heard).toEqual([{ ask: 'begin', ...begin }])
  expect(reserve.take(begin)).toBeNull()
})

it('there is one process in reserve, which starts when no instance has started for a while', async () => {
  const { clock, reserve, children, prepared } = world()
  reserve.prepare()
  await clock.advance(reserveAfterMs - 1)
  reserve.prepare()
  await clock.advance(reserveAfterMs - 1)
  expect(children).toHaveLength(0)
  await clock.advance(1)
  expect(children).toHaveLength(1)
  await prepared()
  expect(children).toHaveLength(1)
})

it('a process in reserve that has ended gets no role, and another one takes its place', async () => {
  const { reserve, children, prepared } = world()
  const first = await prepared()
  first?.emit('message', { say: 'loaded' })
  first?.emit('exit', null, 'SIGKILL')
  expect(reserve.take(begin)).toBeNull()
  const second = await prepared()
  expect(children).toHaveLength(2)
  expect(reserve.take(begin), 'the second process still loads').toBeNull()
  second?.emit('message', { say: 'loaded' })
  expect(reserve.take(begin)).toBe(second)
  second?.emit('exit', 1, null)
  expect(await prepared(), 'the end of a process with a role changes nothing').not.toBe(second)
})

it('a fleet that stops ends its process in reserve and starts no other', async () => {
  const { reserve, children, prepared } = world()
  const child = await prepared()
  reserve.close()
  expect(child?.heard).toEqual(['SIGKILL'])
  child?.emit('exit', null, 'SIGKILL')
  await prepared()
  expect(children).toHaveLength(1)
})
