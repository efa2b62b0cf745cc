import { readFileSync } from 'node:fs'
import process from 'node:process'

/** Clock ticks per second in `/proc`, the same on every Linux that Node runs on. */
const ticksPerSecond = 100
/** The positions of the ticks in user and in kernel mode, counted from the program's name. */
const [userField, systemField] = [11, 12]

/** Returns the processor time of a process in milliseconds, or null if the system does not provide it. */
export function processorTimeMs(processId: number): number | null {
  if (processId === process.pid) {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  }
  try {
    const text = readFileSync(`/proc/${processId}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[userField]) + Number(fields[systemField])
    return (ticks * 1_000) / ticksPerSecond
  } catch {
    return null
  }
}
