import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { endOf, type Exit } from '../../../src/fleet/instance.js'

function aChild(pid: number | undefined) {
  const child = Object.assign(new EventEmitter(), { pid }) as unknown as ChildProcess
  const ends: Exit[] = []
  const ended = endOf(child).then((exit) => void ends.push(exit))
  return { child, ends, ended }
}

describe('a process of a fleet has ended', () => {
  it('when it exits, but not when a message or a signal does not reach it', async () => {
    const { child, ends, ended } = aChild(7)
    child.emit('error', new Error('write EPIPE'))
    child.emit('error', new Error('kill EPERM'))
    await Promise.resolve()
    expect(ends).toEqual([])
    child.emit('exit', null, 'SIGKILL')
    await ended
    expect(ends).toEqual([{ code: null, signal: 'SIGKILL' }])
  })

  it('when it could not be started', async () => {
    const { child, ends, ended } = aChild(undefined)
    child.emit('error', new Error('spawn ENOENT'))
    await ended
    expect(ends).toEqual([{ code: null, signal: null }])
  })
})
