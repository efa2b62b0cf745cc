import type { Telemetry, TelemetryEventOf } from '../../telemetry/index.js'

type Logged = TelemetryEventOf<'agent.logged'>

/**
 * The log of a handler. Each line becomes an `agent.logged` event with the ids of the job, the step, the
 * attempt and the instance. The log never throws.
 */
export type AgentLog = Readonly<
  Record<
    'debug' | 'info' | 'warn' | 'error',
    (message: string, fields?: Readonly<Record<string, unknown>>) => void
  >
>

export function agentLog(
  telemetry: Telemetry,
  about: Omit<Logged, 'type' | 'level' | 'message' | 'fields'>,
): AgentLog {
  const at =
    (level: Logged['level']): AgentLog[typeof level] =>
    (message, fields = {}) =>
      telemetry.emit({ type: 'agent.logged', level, message, fields, ...about })
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
