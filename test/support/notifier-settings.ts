import type { NotifierOptions } from '../../src/sas/notifier/notifier.js'

/** The settings of a notifier that a test may choose. */
export type ChosenSettings = Partial<
  Omit<NotifierOptions, 'store' | 'channel' | 'instanceName' | 'clock' | 'random' | 'telemetry'>
>

/** The default settings of a notifier. */
export const notifierSettings = {
  alertSinks: [],
  alertCallsPerMinute: 20,
  remindAfterMs: 86_400_000,
  sendTimeoutMs: 10_000,
  noticeRetry: { tries: 30, backoff: { minMs: 1_000, maxMs: 900_000 } },
  sweepIntervalMs: 60_000,
} as const
