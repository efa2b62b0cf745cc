import { readFileSync } from 'node:fs'
import process from 'node:process'

/** Clock ticks per second in `/proc`, the same on every Linux that Node runs on. */
const ticksPerSecond = 100
/** Where the ticks in user and in kernel mode are, counted behind the program's name. */
const [userField, systemField] = [11, 12]

/** The processor time a process has used, in milliseconds; null where the system does not tell. */
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
