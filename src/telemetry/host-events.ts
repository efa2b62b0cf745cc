import { counted, errorMessage } from '../platform/internal.js'
import { seconds, sentence, type EventRows } from './event-row.js'
import { events, failures, onOperation } from './metric.js'

/** A process that a fleet keeps running. */
interface OnInstance {
  readonly role: string
  readonly instanceName: string
  readonly processId: number | null
}

/** Events of the store (as processes see the store), of hosts and of fleets. */
export type HostEvent =
  /** `user` is the part of the process that sent the request: a role, `client`, or `feed`, which all roles share. */
  | {
      readonly type: 'store.charged'
      readonly operation: string
      readonly charge: number
      readonly user?: string
    }
  | { readonly type: 'store.conflict'; readonly operation: string; readonly id: string }
  // A temporary problem causes one event when it begins and one when it ends, even if many requests fail.
  | { readonly type: 'store.troubled'; readonly reason: string; readonly error: unknown }
  | { readonly type: 'store.recovered'; readonly durationMs: number; readonly failures: number }
  /** `removed` is the number of payloads. */
  | { readonly type: 'payloads.removed'; readonly removed: number }
  | { readonly type: 'loop.failed'; readonly loop: string; readonly error: unknown }
  | { readonly type: 'host.started'; readonly instanceName: string; readonly roles: readonly string[] }
  | { readonly type: 'host.stopping'; readonly instanceName: string; readonly reason: string }
  | { readonly type: 'host.stopped'; readonly instanceName: string; readonly durationMs: number }
  | { readonly type: 'host.failed'; readonly instanceName: string; readonly error: unknown }
  | { readonly type: 'host.advised'; readonly advice: string }
  | { readonly type: 'wakeUp.failed'; readonly origin: string; readonly error: unknown }
  | ({ readonly type: 'instance.started' } & OnInstance)
  | ({
      readonly type: 'instance.ended'
      readonly exit: string
      /** Milliseconds until another instance replaces this instance, or null if none does. */
      readonly restartInMs: number | null
    } & OnInstance)
  | ({ readonly type: 'instance.leasesReleased'; readonly leaseTokens: readonly string[] } & OnInstance)

export const hostEvents = {
  'store.charged': {
    level: 'debug',
    metrics: [
      {
        name: 'azure.cosmosdb.client.operation.request_charge',
        kind: 'histogram',
        unit: '{request_unit}',
        attributes: onOperation,
        value: ({ charge }) => charge,
      },
    ],
    text: ({ operation, charge }) => `The store charged ${counted(charge, 'request unit')} for ${operation}`,
    meaning: 'the store charged a request',
  },
  'store.conflict': {
    level: 'debug',
    metrics: [{ name: 'stepward.conflicts', kind: 'counter', unit: '{conflict}', attributes: onOperation }],
    text: ({ operation, id }) =>
      `Another instance changed ${id} first (${operation}); this one reads it and decides again`,
    meaning: 'another instance wrote first; this instance reads and decides again. This is normal',
  },
  'store.troubled': {
    level: 'warn',
    metrics: [events],
    text: ({ reason }) => sentence(reason),
    meaning: 'the store does not answer, throttles or refuses requests; the process reports it once',
  },
  'store.recovered': {
    level: 'info',
    metrics: [events],
    text: ({ durationMs, failures: count }) =>
      `The store answers again after ${seconds(durationMs)} and ${counted(count, 'failure')}`,
    meaning: 'the store answers again',
  },
  'payloads.removed': {
    level: 'info',
    metrics: [events],
    text: ({ removed }) =>
      `The supervisor removed ${counted(removed, 'payload')} whose jobs do not exist any more`,
    meaning: 'a supervisor removed the payloads of expired jobs, and of submissions that wrote no job',
  },
  'loop.failed': {
    level: 'error',
    metrics: [failures],
    text: ({ loop, error }) => `The background loop ${loop} failed and tries again: ${errorMessage(error)}`,
    meaning: 'a background loop met an error; it continues',
  },
  'host.started': {
    level: 'info',
    metrics: [events],
    text: ({ instanceName, roles }) => `Instance ${instanceName} runs ${roles.join(', ')}`,
    meaning: 'the host runs its roles',
  },
  'host.stopping': {
    level: 'info',
    metrics: [events],
    text: ({ instanceName, reason }) => `Instance ${instanceName} is stopping: ${reason}`,
    meaning: 'the host begins to stop, by request or because something failed',
  },
  'host.stopped': {
    level: 'info',
    metrics: [events],
    text: ({ instanceName, durationMs }) => `Instance ${instanceName} stopped in ${seconds(durationMs)}`,
    meaning: 'the host has stopped; it released its leases unless the time to stop was over',
  },
  'host.failed': {
    level: 'error',
    metrics: [events],
    text: ({ instanceName, error }) =>
      `Instance ${instanceName} ends because of an unhandled error: ${errorMessage(error)}`,
    meaning: 'an unhandled error; the process ends',
  },
  'host.advised': {
    level: 'warn',
    metrics: [events],
    text: ({ advice }) => sentence(advice),
    meaning: 'a setting works, but another would be better; or a start waits for something',
  },
  'wakeUp.failed': {
    level: 'debug',
    metrics: [events],
    text: ({ origin, error }) =>
      `The process at ${origin} did not take a hint; its roles find the writes at their next poll: ` +
      errorMessage(error),
    meaning: 'another process did not take a hint about writes; it finds them at its next poll',
  },
  'instance.started': {
    level: 'info',
    metrics: [events],
    text: (on) => `The fleet started ${instance(on)}`,
    meaning: 'a fleet started a process',
  },
  'instance.ended': {
    level: ({ exit, restartInMs }) => (exit === 'exit code 0' && restartInMs === null ? 'info' : 'warn'),
    metrics: [events],
    text: ({ exit, restartInMs, ...on }) =>
      `${sentence(instance(on))} ended: ${exit}` +
      (restartInMs === null ? '' : `; the fleet replaces it in ${seconds(restartInMs)}`),
    meaning:
      'a process of a fleet ended; `restartInMs` is null if the fleet does not replace it. The level is info if it is ' +
      'null and the exit code is 0, and warn otherwise',
  },
  'instance.leasesReleased': {
    level: 'info',
    metrics: [events],
    text: ({ leaseTokens, ...on }) =>
      `The fleet released ${counted(leaseTokens.length, 'lease')} of ${instance(on)}, which has ended`,
    meaning: 'the fleet released the leases of a process that has ended',
  },
} as const satisfies EventRows<HostEvent>

function instance({ instanceName, role, processId }: OnInstance): string {
  return `instance ${instanceName} of ${role}${processId === null ? '' : ` (process ${processId})`}`
}
