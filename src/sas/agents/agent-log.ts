import type { Telemetry, TelemetryEventOf } from '../../telemetry/index.js'

type Logged = TelemetryEventOf<'agent.logged'>

/** Logs a message about a running attempt. The ids of job, step, attempt and instance are added to it. */
type Say = (message: string, fields?: Readonly<Record<string, unknown>>) => void

/**
 * The log of a handler. Each line becomes an `agent.logged` event, which the console logger writes like any other
 * event. Never throws.
 */
export interface AgentLog {
  readonly debug: Say
  readonly info: Say
  readonly warn: Say
  readonly error: Say
}

/** Creates the log of one attempt. */
export function agentLog(
  telemetry: Telemetry,
  about: Omit<Logged, 'type' | 'level' | 'message' | 'fields'>,
): AgentLog {
  const at =
    (level: Logged['level']): Say =>
    (message, fields = {}) =>
      telemetry.emit({ type: 'agent.logged', level, message, fields, ...about })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
