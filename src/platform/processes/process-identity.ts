/** What the system reports about a process id. */
export type Found =
  /** No process has this id. */
  | { readonly kind: 'none' }
  /** A process has this id. `startedAt` is the time of its start, as the system counts it. */
  | { readonly kind: 'process'; readonly startedAt: string; readonly isRunning: boolean }
  | { readonly kind: 'unknown' }

/** The processes of one machine, as a process sees them. */
export interface Processes {
  /** The identity of this process, or null if the system does not provide one. */
  readonly own: string | null
  /** Returns whether the identity belongs to another process of this machine, alive or not. */
  readonly isNeighbour: (identity: string) => boolean
  /**
   * Returns whether the process with this identity has certainly ended. False for every process that this
   * process cannot judge, such as a process of another machine or container.
   */
  readonly hasEnded: (identity: string) => boolean
}

/** Knows no process, so every lease waits for its expiration. */
export const noProcesses: Processes = { own: null, isNeighbour: () => false, hasEnded: () => false }

/**
 * Returns the identity of a process. No two processes have the same identity: the system may use a process id
 * again, but then the new process has another start.
 *
 * @param space names the boot of the machine and the namespaces in which the two numbers have a meaning
 */
export function identityOf(space: string, processId: number, startedAt: string): string {
  return `${space}.${processId}.${startedAt}`
}

/** Returns whether the identity belongs to another process that this process can judge. */
export function isNeighbour(identity: string, own: string | null): boolean {
  return own !== null && identity !== own && identity.split('.')[0] === own.split('.')[0]
}

/**
 * Returns whether the process with this identity has certainly ended. Only a process of the same boot and of
 * the same namespaces can judge, because a process id means nothing elsewhere. Without proof the result is
 * false.
 *
 * @param own the identity of the judging process
 * @param find looks for a process id on this machine
 */
export function hasEnded(identity: string, own: string | null, find: (processId: number) => Found): boolean {
  const [, processId = '', startedAt = ''] = /^[\w-]+\.([1-9]\d{0,9})\.(\d+)$/.exec(identity) ?? []
  if (startedAt === '' || !isNeighbour(identity, own)) return false
  const found = find(Number(processId))
  switch (found.kind) {
    case 'none':
      return true
    case 'process':
      return found.startedAt !== startedAt || !found.isRunning
    case 'unknown':
      return false
  }
}

/**
 * Reads the content of `/proc/PID/stat`. A zombie has ended, but its parent has not yet asked for its exit
 * code. A zombie that still has other threads counts as running.
 */
export function foundIn(stat: string): Found {
  // The second field is the name of the program, which may contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, threads, startedAt] = [fields[0], Number(fields[17]), fields[19]]
  if (state === undefined || startedAt === undefined || !/^\d+$/.test(startedAt)) return { kind: 'unknown' }
  return { kind: 'process', startedAt, isRunning: !/^[ZX]/i.test(state) || threads > 1 }
}
