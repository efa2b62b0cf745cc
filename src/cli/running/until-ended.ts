import { untilTold } from './until-signal.js'

export interface ProcessEnd {
  readonly why: string
  /** Present only if an unhandled error is the reason. */
  readonly error?: unknown
}

/**
 * Resolves when this process must end, because of a signal or an unhandled error. After such an error, the
 * state of the process is unknown. A child of a fleet also ends when its parent has ended.
 */
export function untilEnd(isChild: boolean): Promise<ProcessEnd> {
  const told = untilTold().then((signal): ProcessEnd => ({ why: signal }))
  const failed = new Promise<ProcessEnd>((resolve) => {
    const fail = (error: unknown): void => resolve({ why: 'an unhandled error', error })
    process.on('uncaughtException', fail)
    process.on('unhandledRejection', fail)
  })
  const orphaned = new Promise<ProcessEnd>((resolve) => {
    if (!isChild) return
    const leave = (): void => resolve({ why: 'the parent process has ended' })
    process.once('disconnect', leave)
    // The parent may have ended while this process was still loading its program.
    if (!process.connected) leave()
  })
  return Promise.race([told, failed, orphaned])
}
