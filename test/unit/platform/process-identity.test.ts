import { spawn } from 'node:child_process'
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { machineProcesses } from '../../../src/platform/internal.js'
import {
  foundIn,
  hasEnded,
  identityOf,
  isNeighbour,
  type Found,
} from '../../../src/platform/processes/process-identity.js'

const own = identityOf('here', 10, '500')
const other = identityOf('here', 11, '600')
const found = (answer: Found) => () => answer
const running: Found = { kind: 'process', startedAt: '600', isRunning: true }

describe('a process of this machine', () => {
  it('has ended if no process has its id, or if the process with its id started at another time', () => {
    expect(hasEnded(other, own, found({ kind: 'none' }))).toBe(true)
    expect(hasEnded(other, own, found({ ...running, startedAt: '601' }))).toBe(true)
    expect(hasEnded(other, own, found({ ...running, isRunning: false }))).toBe(true)
  })

  it('has not ended while it runs, or if the system does not say', () => {
    expect(hasEnded(other, own, found(running))).toBe(false)
    expect(hasEnded(other, own, found({ kind: 'unknown' }))).toBe(false)
  })

  it('is never the judging process itself', () => {
    expect(hasEnded(own, own, found({ kind: 'none' }))).toBe(false)
    expect(isNeighbour(own, own)).toBe(false)
    expect(isNeighbour(other, own)).toBe(true)
  })
})

describe('a process that cannot be judged', () => {
  it.each([
    ['of another machine or container', identityOf('there', 11, '600')],
    ['without a start', 'here.11'],
    ['with more parts', 'here.11.600.1'],
    ['with a process id that is no number', 'here.-1.600'],
    ['with an empty text', ''],
  ])('is never said to have ended: %s', (_name, identity) => {
    expect(hasEnded(identity, own, found({ kind: 'none' }))).toBe(false)
  })

  it('is every process, on a system that gives no identity', () => {
    expect(hasEnded(other, null, found({ kind: 'none' }))).toBe(false)
    expect(isNeighbour(other, null)).toBe(false)
  })
})

describe('the line of a process in /proc', () => {
  const line = (state: string, threads = 1) => `11 (a) b (c) ${state} ${'0 '.repeat(16)}${threads} 0 600 0 0`

  it('is read although the name of the program contains spaces and brackets', () => {
    expect(foundIn(line('S'))).toEqual(running)
  })

  it('is that of an ended process if it is a zombie without other threads', () => {
    expect(foundIn(line('Z'))).toEqual({ ...running, isRunning: false })
    expect(foundIn(line('Z', 2))).toEqual(running)
  })

  it('says nothing if it has another form', () => {
    expect(foundIn('')).toEqual({ kind: 'unknown' })
    expect(foundIn('11 (a) S 1 2')).toEqual({ kind: 'unknown' })
  })
})

describe.runIf(process.platform === 'linux')('the processes of this machine', () => {
  it('tell a running process from a killed process', async () => {
    const { own: self } = machineProcesses
    expect(self).toMatch(new RegExp(`^[\\w-]{16}\\.${process.pid}\\.\\d+$`))
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    await new Promise((resolve) => child.once('spawn', resolve))
    const { pid = 0 } = child
    const [space = ''] = (self ?? '').split('.')
    // The start of the child is unknown here, so a wrong start shows an ended process, as after a new boot.
    expect(machineProcesses.hasEnded(identityOf(space, pid, '1'))).toBe(true)
    expect(machineProcesses.hasEnded(identityOf('elsewhere', pid, '1'))).toBe(false)
    expect(machineProcesses.hasEnded(self ?? '')).toBe(false)
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    expect(machineProcesses.hasEnded(identityOf(space, pid, '1'))).toBe(true)
  })
})
