/**
 * The actions of the page. A new action needs an entry here, a route in `src/page/api` whose path is its
 * command, and a button in a view. The dialog, the command and the progress follow from the entry.
 *
 * - `title` and `effect` are shown in the dialog. `button` is the text of its button, if it is not the title.
 * - `reason` says whether a reason is demanded, optional or not taken.
 * - `on` says what the action is about: jobs, one schedule or one limit.
 * - `thing` is one and many of what the action reports.
 * - `hasDryRun` says whether the action can be tried first.
 * - `fields` are the texts that the dialog asks for besides the reason. Each is an option of the command.
 * - `isConfirmed` adds `--yes` to the command, which asks a person otherwise.
 *
 * @typedef {{ title: string, effect: string, reason: 'demanded' | 'optional' | 'none', on: 'jobs' | 'schedule' | 'limit',
 *   thing: [string, string], hasDryRun: boolean, isConfirmed?: boolean,
 *   fields?: { name: string, label: string, placeholder: string, isOptional?: boolean }[] }} ActionKind
 *
 * @typedef {'resubmit' | 'restart' | 'release' | 'cancel' | 'pause' | 'resume' | 'resend' | 'raise' | 'answer' | 'submit' | 'schedule pause'
 *   | 'schedule resume' | 'schedule trigger' | 'schedule backfill' | 'schedule delete' | 'limit set' | 'limit clear'} Kind
 */

/** @type {Pick<ActionKind, 'on' | 'thing' | 'hasDryRun'>} */
const onJobs = { on: 'jobs', thing: ['job', 'jobs'], hasDryRun: true }
/** @type {Pick<ActionKind, 'on' | 'thing' | 'hasDryRun' | 'reason'>} */
const onSchedule = { on: 'schedule', thing: ['schedule', 'schedules'], hasDryRun: false, reason: 'demanded' }

/** @type {Pick<ActionKind, 'on' | 'thing' | 'hasDryRun'>} */
const onLimit = { on: 'limit', thing: ['limit', 'limits'], hasDryRun: false }

/** @type {Record<Kind, ActionKind>} */
export const actionKinds = {
  resubmit: {
    ...onJobs,
    title: 'Resubmit',
    effect: 'Failed steps are tried again. A job that was undone begins again.',
    reason: 'demanded',
  },
  restart: {
    ...onJobs,
    title: 'Restart from a step',
    effect:
      'A new job carries over what was done before the step, and runs the rest. Say undo or keep if a step that runs again may have acted.',
    reason: 'demanded',
    fields: [
      { name: 'from', label: 'First step that runs again', placeholder: 'the id of a step' },
      {
        name: 'after',
        label: 'Effects of steps that run again',
        placeholder: 'undo or keep',
        isOptional: true,
      },
    ],
  },
  release: {
    ...onJobs,
    title: 'Release',
    effect: 'Steps that are parked or in an extended wait continue immediately.',
    reason: 'optional',
  },
  cancel: {
    ...onJobs,
    title: 'Cancel',
    effect: 'The job stops, and what was done is undone.',
    reason: 'demanded',
  },
  pause: {
    ...onJobs,
    title: 'Pause',
    effect: 'No attempt begins until the job is resumed. Attempts under way end, and deadlines do not run.',
    reason: 'demanded',
  },
  resume: {
    ...onJobs,
    title: 'Resume',
    effect: 'The job continues. Its deadlines are later by the time of the pause.',
    reason: 'optional',
  },
  resend: {
    ...onJobs,
    title: 'Send notices again',
    effect: 'Notices that were given up are sent again.',
    reason: 'optional',
  },
  raise: {
    ...onJobs,
    title: 'Raise an event',
    effect: 'The step receives the payload, and continues if it waits for no other event.',
    reason: 'none',
    hasDryRun: false,
    fields: [
      {
        name: 'eventKey',
        label: 'Key, if the step collects events',
        placeholder: 'the name of the event; the same key counts once',
        isOptional: true,
      },
    ],
  },
  answer: {
    ...onJobs,
    title: 'Answer',
    effect: 'The job continues with the answer. Only the first answer counts.',
    reason: 'none',
    hasDryRun: false,
  },
  submit: {
    ...onJobs,
    title: 'Submit a job',
    effect: 'The job is written with its steps.',
    reason: 'none',
    hasDryRun: false,
  },
  'schedule pause': {
    ...onSchedule,
    title: 'Pause',
    effect: 'No tick submits a job until the schedule is resumed. Running jobs continue.',
  },
  'schedule resume': {
    ...onSchedule,
    title: 'Resume',
    effect: 'Ticks submit jobs again. The ticks during the pause count as skipped.',
  },
  'schedule trigger': {
    ...onSchedule,
    title: 'Run now',
    effect: 'One job is submitted now, besides the ticks, even during a pause.',
    thing: ['job', 'jobs'],
  },
  'schedule backfill': {
    ...onSchedule,
    title: 'Backfill',
    effect: 'The ticks of a time in the past are submitted. A tick that was submitted is left alone.',
    thing: ['tick', 'ticks'],
    hasDryRun: true,
    fields: [
      { name: 'from', label: 'The earliest due time', placeholder: '2h, 1d, or 2026-01-31T12:00Z' },
      { name: 'to', label: 'The latest due time', placeholder: '1h, or 2026-02-01T12:00Z' },
    ],
  },
  'schedule delete': {
    ...onSchedule,
    title: 'Delete',
    effect: 'The schedule submits no more jobs. Its jobs stay.',
    isConfirmed: true,
  },
  'limit set': {
    ...onLimit,
    title: 'Set',
    effect:
      'The number applies in place of that of the workflows, also to steps that wait. 0 lets no step begin.',
    reason: 'demanded',
    fields: [{ name: 'atOnce', label: 'The largest number of steps at work', placeholder: '5' }],
  },
  'limit clear': {
    ...onLimit,
    title: 'Clear',
    effect: 'The number of the workflows applies again.',
    reason: 'none',
  },
}
