import type { Duration } from '../../../platform/index.js'
import { durationMs } from '../../../platform/internal.js'
import { kind, readOptions, text } from '../../../platform/options.js'
import type { TriageCommand } from '../../decisions/operator/request.js'
import { CommandInvalid } from '../../model/errors.js'
import { personName } from '../../model/values/said-texts.js'
import type { CommandOptions } from '../command-options.js'

/**
 * What to say about the problem of a job. At least one of `assignee`, `note` and `snooze` is needed. A part that is
 * missing stays as it is, and null removes it.
 */
export interface TriageOptions extends CommandOptions {
  /** The person who looks after the problem, by name: at most 200 characters. */
  readonly assignee?: string | null
  /** What is known about the problem, for other operators: at most 500 characters. */
  readonly note?: string | null
  /**
   * The time for which lists of problems hide the job, or the `Date` until which they hide it: from a minute to a year
   * from now. Nothing is written when the snooze ends. Another problem of the job is not hidden.
   */
  readonly snooze?: Duration | Date | null
}

const mostOfNote = 500
const shortestMs = 60_000
const longestMs = 366 * 86_400_000

/** Returns the end of a snooze, in milliseconds since the epoch. Null if it is invalid, too short or too long. */
function endOf(snooze: unknown, now: number): number | null {
  const isDate = snooze instanceof Date
  const untilMs = isDate ? snooze.getTime() : now + (durationMs(snooze as Duration) ?? Number.NaN)
  return untilMs >= now + shortestMs && untilMs <= now + longestMs ? untilMs : null
}

function shapeAt(now: number) {
  const rule = "a duration such as '2h', or a date, from a minute to a year from now"
  return {
    assignee: personName.nullable().optional(),
    note: text(mostOfNote).nullable().optional(),
    snooze: kind<TriageOptions['snooze']>(
      rule,
      (value) => value === null || endOf(value, now) !== null,
    ).optional(),
  }
}

type Parts = { readonly [Name in 'assignee' | 'note' | 'snooze']: TriageOptions[Name] | undefined }

/**
 * Returns the command that these options give.
 *
 * @throws CommandInvalid that lists all problems of the three parts
 */
export function triageCommand({ assignee, note, snooze }: Parts, by: string, now: number): TriageCommand {
  const given = { assignee, note, snooze }
  const { problems } = readOptions(shapeAt(now), given)
  const isNothing = Object.values(given).every((part) => part === undefined)
  const wrong = isNothing ? ['pass assignee, note or snooze'] : problems
  if (wrong.length > 0) throw new CommandInvalid(`triage: ${wrong.join('; ')}`)
  const untilMs = snooze === undefined || snooze === null ? null : endOf(snooze, now)
  const snoozedUntil = untilMs === null ? null : new Date(untilMs).toISOString()
  const why = [
    ...inWords(assignee, (name) => `assigned to ${name}`, 'no longer assigned'),
    ...inWords(
      snooze === undefined ? undefined : snoozedUntil,
      (until) => `snoozed until ${until.slice(0, 19)}Z`,
      'no longer snoozed',
    ),
    ...inWords(note, (written) => `note: ${written}`, 'note removed'),
  ]
  return {
    kind: 'triage',
    by,
    why: why.join('; '),
    ...(assignee === undefined ? {} : { assignee }),
    ...(note === undefined ? {} : { note }),
    ...(snooze === undefined ? {} : { snoozedUntil }),
  }
}

function inWords(
  part: string | null | undefined,
  say: (part: string) => string,
  removed: string,
): readonly string[] {
  return part === undefined ? [] : [part === null ? removed : say(part)]
}
