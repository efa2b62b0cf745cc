import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import process from 'node:process'
import { foundIn, hasEnded, identityOf, isNeighbour, type Found, type Processes } from './process-identity.js'

/** The processes of this machine. On a system other than Linux, no process has an identity. */
export const machineProcesses: Processes = processesOf(ownIdentity())

function processesOf(own: string | null): Processes {
  return {
    own,
    isNeighbour: (identity) => isNeighbour(identity, own),
    hasEnded: (identity) => hasEnded(identity, own, find),
  }
}

/**
 * The boot id changes when the machine starts. Containers of one machine share the boot id, but have their
 * own process ids. Time namespaces move the starts of processes. So the identity contains all three.
 */
function ownIdentity(): string | null {
  if (process.platform !== 'linux') return null
  try {
    // If /proc belongs to another namespace, its numbers are not those of this process.
    if (readlinkSync('/proc/self') !== String(process.pid)) return null
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const own = foundIn(readFileSync('/proc/self/stat', 'utf8'))
    if (own.kind !== 'process' || boot === '') return null
    const machine = [boot, readlinkSync('/proc/self/ns/pid'), timeNamespace()].join('\n')
    const space = createHash('sha256').update(machine).digest('base64url').slice(0, 16)
    return identityOf(space, process.pid, own.startedAt)
  } catch {
    return null
  }
}

/** Older kernels have no time namespaces. */
function timeNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/time')
  } catch {
    return ''
  }
}

/** Looks for a process. A file of /proc may be hidden from this user, so a missing file alone proves nothing. */
function find(processId: number): Found {
  try {
    process.kill(processId, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return { kind: 'none' }
  }
  try {
    return foundIn(readFileSync(`/proc/${processId}/stat`, 'utf8'))
  } catch {
    return { kind: 'unknown' }
  }
}
