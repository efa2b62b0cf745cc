import type { Telemetry } from '../../telemetry/index.js'
import { untilTold } from './until-signal.js'

export interface ProcessEnd {
  readonly why: string
  /** Present only if an unhandled error is the reason. */
  readonly error?: unknown
  /** Whether the store takes nothing more from this process, so that it need not wait for it. */
  readonly isCutOff?: boolean
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

/**
 * Watches what a host reports. Its `end` resolves if the containers of the host were replaced. Then this process can do
 * nothing more, and its platform or its parent starts another one, which makes leases for the new containers.
 */
export function untilReplaced(): { readonly telemetry: Telemetry; readonly end: Promise<ProcessEnd> } {
  let resolve: (end: ProcessEnd) => void = () => undefined
  const end = new Promise<ProcessEnd>((settle) => (resolve = settle))
  const emit: Telemetry['emit'] = (event) => {
    const error = 'error' in event ? replacement(event.error) : null
    if (error !== null) resolve({ why: 'the container was replaced', error, isCutOff: true })
  }
  return { telemetry: { emit }, end }
}

/** Returns the error in the chain of causes that says that a container was replaced, or null. */
function replacement(error: unknown): Error | null {
  if (!(error instanceof Error)) return null
  return Reflect.get(error, 'code') === 'CONTAINER_REPLACED' ? error : replacement(error.cause)
}
