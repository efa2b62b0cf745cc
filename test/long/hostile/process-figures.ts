import { readFileSync } from 'node:fs'

/** The length of a tick of /proc, in milliseconds. Linux gives every program this value. */
const tickMs = 10

/** Returns the processor time of a process in milliseconds, or infinity where the system does not say. */
export function processorMs(pid: number): number {
  const text = readOrEmpty(`/proc/${pid}/stat`)
  // The name of the program, in parentheses, may contain spaces. The times are fields 14 and 15.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return text === '' ? Number.POSITIVE_INFINITY : (Number(fields[11]) + Number(fields[12])) * tickMs
}

/** The memory of a process in MB, now and at its peak; NaN where the system does not say. */
export interface Memory {
  readonly nowMb: number
  readonly peakMb: number
}

export function memoryOf(pid: number): Memory {
  const text = readOrEmpty(`/proc/${pid}/status`)
  const megabytes = (name: string): number =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'mu').exec(text)?.[1] ?? Number.NaN) / 1024)
  return { nowMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM') }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
