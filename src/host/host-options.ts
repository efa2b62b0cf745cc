import { type StorePatience, type Connection, ConfigurationInvalid, type Role } from '../connection/index.js'
import { patienceShape, connectionProblems, connectionShape, roles } from '../connection/internal.js'
import type { Clock } from '../platform/index.js'
import {
  asGiven,
  callback,
  group,
  having,
  isObject,
  kind,
  optional,
  readOptions,
  secretThat,
  text,
  textThat,
  wholeNumber,
  type Values,
} from '../platform/options.js'
import type {
  Agent,
  AgentsSettings,
  NotifierSettings,
  ProcessorTiming,
  Schedule,
  SupervisorSettings,
} from '../sas/index.js'
import {
  agentsShape,
  isAgent,
  isSchedule,
  isWebhook,
  notifierShape,
  supervisorShape,
  timingShape,
} from '../sas/internal.js'
import type { Telemetry } from '../telemetry/index.js'
import { wakeOrigin } from '../wake-up/index.js'
import { pageOption, type PageSettings } from './host-page.js'

/** The settings of a host's roles. */
export interface UnitSettings
  extends AgentsSettings, SupervisorSettings, Omit<NotifierSettings, 'noticeRetry' | 'notifySweepInterval'> {
  /** The agents whose handlers run here. The role `agents` needs at least one. */
  readonly agents?: readonly Agent[]
  /**
   * The schedules that are stored when the host starts. A schedule whose definition differs is updated. Other
   * schedules stay as they are, so nothing is deleted. Default: none.
   */
  readonly schedules?: readonly Schedule[]
  /**
   * The prefix of the processor names. Hosts with the same prefix and containers share their work. Default
   * `stepward`.
   */
  readonly unitPrefix?: string
  /**
   * Returns whether the agents of this process should take work. The function is called often, so it must not
   * make requests. While it returns false or throws, this instance releases its leases of the role `agents`,
   * and other instances do the work. Default: always true.
   */
  readonly isHealthy?: () => boolean
  /** Intervals of the change feed processors. */
  readonly timing?: ProcessorTiming
  /**
   * The URL to which every alert is posted as JSON, with an `idempotency-key` header. Many simultaneous
   * alerts are sent in one message. Default: none.
   */
  readonly alertWebhook?: string
}

/** The roles of a host, its store, and its settings. */
export interface HostOptions extends Connection, UnitSettings {
  /** The roles that run in this process. Default: all four roles. */
  readonly roles?: readonly Role[]
  /**
   * The name of this instance. Default: a unique name, made of the machine, the process id and random
   * characters. On App Service, the app and the slot replace the process id.
   */
  readonly instanceName?: string
  /**
   * The port of `/`, `/healthz`, `/readyz` and `/metrics`, which opens before the store is reached. 0 means
   * any free port. Default: none.
   */
  readonly port?: number
  /**
   * Serves the page for operators on the loopback interface of this machine. `true` uses the defaults of the
   * settings. On App Service with authentication, the page is on `port`. Default: no page.
   */
  readonly page?: boolean | PageSettings
  /**
   * The address at which hosts on other machines reach this host, such as `http://10.0.0.4:8181`. They send
   * signed hints about their writes to it, so that roles here need not wait for their next poll. The host
   * listens on this port on all its addresses. `'none'` means that it takes no hints. Default: hints from
   * processes of the same Linux machine only.
   */
  readonly wakeAddress?: string
  /**
   * The time that the start waits for a store that does not answer or does not permit access. Default: none.
   */
  readonly patience?: StorePatience
  /** A signal that aborts a start while it waits. */
  readonly signal?: AbortSignal
  /**
   * Receives the events. Default: OpenTelemetry, which does nothing in a process without a registered SDK.
   */
  readonly telemetry?: Telemetry
  /**
   * The clock of the host. The host corrects its time of day with the times in the store's answers. Default:
   * the machine's clock.
   */
  readonly clock?: Clock
}

/** The `wakeAddress` of a host that takes no hints. */
export const noWakeUps = 'none'

const { noticeRetry: _retry, notifySweepInterval: _interval, ...alertShape } = notifierShape

function listOf<T>(rule: string, isOne: (value: unknown) => boolean, least = 0) {
  return kind<readonly T[]>(
    rule,
    (value) => Array.isArray(value) && value.length >= least && value.every(isOne),
  )
}

const shape = {
  roles: optional(
    listOf<Role>(
      `a list of some of ${roles.join(', ')}; all four run if roles is omitted`,
      (value) => roles.some((role) => role === value),
      1,
    ),
    roles,
  ),
  agents: optional(listOf<Agent>('a list of agents, each made by defineAgent', isAgent), []),
  schedules: optional(listOf<Schedule>('a list of schedules, each made by defineSchedule', isSchedule), []),
  unitPrefix: optional(text()),
  instanceName: optional(text()),
  port: optional(wholeNumber(0, 65_535)),
  page: optional(pageOption),
  wakeAddress: optional(
    textThat(
      'an origin such as http://10.0.0.4:8181, or none',
      (given) => given === noWakeUps || wakeOrigin(given) !== null,
    ),
  ),
  patience: optional(group(patienceShape), { unavailable: 0, forbidden: 0 }),
  signal: optional(having<AbortSignal>('an AbortSignal', 'addEventListener', 'throwIfAborted')),
  telemetry: optional(having<Telemetry>('a Telemetry sink', 'emit')),
  clock: optional(having<Clock>('a Clock', 'now', 'monotonic', 'sleep', 'schedule')),
  isHealthy: optional(callback<() => boolean>()),
  timing: optional(asGiven<ProcessorTiming>(group(timingShape))),
  alertWebhook: optional(secretThat('a URL that begins with http:// or https://', isWebhook)),
  ...agentsShape,
  ...supervisorShape,
  ...alertShape,
}

/** The options of a host except its connection, with defaults and durations in milliseconds. */
export type HostSettings = Values<typeof shape>

/** @throws ConfigurationInvalid with every problem of the options, including the options of the connection */
export function hostSettings(options: HostOptions): HostSettings {
  if (!isObject(options)) throw new ConfigurationInvalid(readOptions(shape, options).problems)
  const own = Object.entries(options).filter(([name]) => !Object.hasOwn(connectionShape, name))
  const { values, problems } = readOptions(shape, Object.fromEntries(own))
  const lacksAgents = values.roles.includes('agents') && (options.agents ?? []).length === 0
  const rule =
    'the role agents needs at least one agent: pass agents: [...], or export agents from the module'
  const all = [...problems, ...(lacksAgents ? [rule] : []), ...connectionProblems(options)]
  if (all.length > 0) throw new ConfigurationInvalid(all)
  return values
}
