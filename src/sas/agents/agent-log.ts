import type { Telemetry, TelemetryEventOf } from '../../telemetry/index.js'

type Logged = TelemetryEventOf<'agent.logged'>

/** Says something about an attempt while it is made; ids of job, step, attempt and instance are said with it. */
type Say = (message: string, fields?: Readonly<Record<string, unknown>>) => void

/**
 * Where a handler logs: each line is an `agent.logged` event, which the console logger writes like every other line.
 * Never throws.
 */
export interface AgentLog {
  readonly debug: Say
  readonly info: Say
  readonly warn: Say
  readonly error: Say
}

/** A log of one attempt. */
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
