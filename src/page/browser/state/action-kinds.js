/**
 * The actions of the page. A new action needs an entry here, a route in `src/page/api` whose path is its
 * command, and a button in a view. The dialog, the command and the progress follow from the entry.
 *
 * - `title` and `effect` are shown in the dialog. `namesJobs` says that its button also names the number of jobs.
 * - `reason` says whether a reason is demanded, optional or not taken.
 * - `on` says what the action is about: jobs, one schedule, one limit or the instances.
 * - `thing` is one and many of what the action reports.
 * - `hasDryRun` says whether the action can be tried first.
 * - `fields` are the texts that the dialog asks for besides the reason. Each is an option of the command. `choices` are
 *   the values of a field with a list, and a field that `isName` is the thing that does not exist yet. `isArgument`
 *   is a word of the command without an option. A field that `isForOne` is about one job, one that `isJson` is JSON, and one that `isText` has lines.
 * - `targetFields` are the fields if the action is on a workflow, an agent or a key, and not on jobs.
 * - `isConfirmed` adds `--yes` to the command, which asks a person otherwise.
 *
 * @typedef {{ title: string, effect: string, reason: 'demanded' | 'optional' | 'none', on: 'jobs' | 'schedule' | 'limit' | 'fleet',
 *   thing: [string, string], hasDryRun: boolean, isConfirmed?: boolean, namesJobs?: boolean,
 *   fields?: Field[], targetFields?: Field[] }} ActionKind
 *
 * @typedef {{ name: string, label: string, placeholder: string, isOptional?: boolean, isName?: boolean, isArgument?: boolean,
 *   isForOne?: boolean, isJson?: boolean, isText?: boolean, choices?: 'workflows' | 'steps' | 'fleetRoles' | readonly string[] }} Field
 *
 * @typedef {'resubmit' | 'restart' | 'migrate' | 'triage' | 'release' | 'cancel' | 'pause' | 'resume' | 'resend' | 'raise' | 'answer' | 'submit' | 'schedule set' | 'schedule pause'
 *   | 'schedule resume' | 'schedule trigger' | 'schedule backfill' | 'schedule delete' | 'limit set' | 'limit clear' | 'scale' | 'rebalance'} Kind
 */

/**
 * @param {string} name
 * @param {string} label
 * @param {string} placeholder
 * @param {Partial<Field>} more
 * @returns {Field}
 */
const field = (name, label, placeholder, more = {}) => ({ name, label, placeholder, ...more })

/** @type {Pick<ActionKind, 'on' | 'thing' | 'hasDryRun'>} */
const onJobs = { on: 'jobs', thing: ['job', 'jobs'], hasDryRun: true }
/** @type {Pick<ActionKind, 'on' | 'thing' | 'hasDryRun' | 'reason'>} */
const onSchedule = { on: 'schedule', thing: ['schedule', 'schedules'], hasDryRun: false, reason: 'demanded' }

/** @type {Pick<ActionKind, 'on' | 'thing' | 'hasDryRun'>} */
const onLimit = { on: 'limit', thing: ['limit', 'limits'], hasDryRun: false }

/** @type {Field[]} */
const targetFields = [
  field('what', 'What to pause', 'WHAT', { isArgument: true, choices: ['workflow', 'agent', 'key'] }),
  field('name', 'Its name', 'a name, or the key of a limit of steps', { isArgument: true }),
]

/** @type {Record<Kind, ActionKind>} */
export const actionKinds = {
  resubmit: {
    ...onJobs,
    title: 'Resubmit',
    namesJobs: true,
    effect: 'Failed steps are tried again. A job that was undone begins again.',
    reason: 'demanded',
  },
  restart: {
    ...onJobs,
    title: 'Restart from a step',
    effect:
      'A new job carries over the steps that are over and do not depend on this step. It runs the others again. If one of these may have acted, choose undo or keep.',
    reason: 'demanded',
    fields: [
      field('from', 'The first step that runs again', 'the id of a step', { choices: 'steps' }),
      field('after', 'Effects of steps that run again', 'none of them has acted', {
        isOptional: true,
        choices: ['undo', 'keep'],
      }),
      field('stepInput', 'Input of this step, as JSON (unchanged or empty: the present input)', '', {
        isOptional: true,
        isForOne: true,
        isJson: true,
      }),
      field('as', 'Id of the new job', 'the id of the job with .r1 at its end', {
        isOptional: true,
        isForOne: true,
      }),
    ],
  },
  migrate: {
    ...onJobs,
    title: 'Migrate',
    namesJobs: true,
    effect:
      'The definition in the module of this page replaces the plan of the job. Steps that have begun keep their plan. The page refuses a job that has a newer version of the workflow: start the page again with the newer module.',
    reason: 'demanded',
  },
  triage: {
    ...onJobs,
    title: 'Triage',
    namesJobs: true,
    effect:
      'Says who looks after the problem, and hides it for a time. It starts no attempt. A triage ends with the problem.',
    reason: 'none',
    fields: [
      field('assign', 'Who looks after it', 'a name', { isOptional: true }),
      field('note', 'Note for other operators', 'at most 500 characters', { isOptional: true }),
      field('snooze', 'Hide it for a time, or until a date', '2h, 1d, or 2026-01-31T12:00Z', {
        isOptional: true,
      }),
      field('clear', 'Remove a part of an earlier triage', 'nothing', {
        isOptional: true,
        choices: ['all', 'assignee', 'note', 'snooze'],
      }),
    ],
  },
  release: {
    ...onJobs,
    title: 'Release',
    namesJobs: true,
    effect: 'Steps that are parked or in an extended wait continue immediately.',
    reason: 'optional',
  },
  cancel: {
    ...onJobs,
    title: 'Cancel',
    namesJobs: true,
    effect:
      'No more steps of the job begin, and the steps that have an undo are undone. A dry run names these steps, and the effects that stay.',
    reason: 'demanded',
  },
  pause: {
    ...onJobs,
    title: 'Pause',
    namesJobs: true,
    effect:
      'No attempt begins during the pause. Attempts under way run to their end. The deadlines of paused jobs do not run.',
    reason: 'demanded',
    targetFields,
  },
  resume: {
    ...onJobs,
    title: 'Resume',
    namesJobs: true,
    effect: 'Attempts begin again. Deadlines that did not run move by the time of the pause.',
    reason: 'optional',
    targetFields,
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
      field(
        'eventKey',
        'Key, if the step collects events',
        'the name of the event; the same key counts once',
        { isOptional: true },
      ),
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
    effect: 'The job and its steps are stored, and a scheduler begins the job.',
    reason: 'none',
    hasDryRun: false,
    fields: [
      { name: 'partitionKey', label: 'Partition key', placeholder: 'that of the workflow' },
      field('priority', 'Priority: larger numbers go first', 'that of the workflow, or 0'),
      { name: 'completeWithin', label: 'Time for the job', placeholder: 'that of the workflow, such as 2h' },
      field('retainFor', 'How long the ended job is kept', 'that of the workflow, such as 30d'),
      field('tag', 'Tags, each as name=value on a line of its own', '', { isText: true }),
    ],
  },
  'schedule set': {
    ...onSchedule,
    title: 'Define',
    effect:
      'The parts that you give are stored, and other parts stay. If a module exports this schedule, the next start of a process with this module stores the definition of the module again.',
    hasDryRun: true,
    fields: [
      field('schedule', 'The name of the schedule', 'nightly', { isName: true }),
      field('workflow', 'The workflow', 'NAME', { choices: 'workflows' }),
      field('cron', 'Cron pattern: minute, hour, day, month, weekday', '30 2 * * 1-5', { isOptional: true }),
      field('timeZone', 'Time zone of the pattern', 'UTC, or Europe/Berlin', { isOptional: true }),
      field('every', 'Or an interval', '1h', { isOptional: true }),
      field('overlap', 'What happens to a tick that comes during a run', 'skip, the default', {
        isOptional: true,
        choices: ['skip', 'queue', 'allow', 'cancelPrevious'],
      }),
      field('catchUp', 'How long after its due time a tick is still submitted', '1h, at least 2m', {
        isOptional: true,
      }),
      field('jitter', 'Longest delay of a tick: each tick has its own', '0ms', { isOptional: true }),
    ],
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
    effect: 'One job is submitted now, in addition to the ticks, even during a pause.',
    thing: ['job', 'jobs'],
  },
  'schedule backfill': {
    ...onSchedule,
    title: 'Backfill',
    effect:
      'The ticks between two times in the past are submitted. A tick that was submitted before is left alone.',
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
  scale: {
    on: 'fleet',
    title: 'Scale',
    effect:
      'More instances of the role start, or some of them stop. Other instances continue the work of an instance that stops.',
    reason: 'demanded',
    thing: ['role', 'roles'],
    hasDryRun: true,
    fields: [
      { name: 'role', label: 'The role', placeholder: 'ROLE', isArgument: true, choices: 'fleetRoles' },
      field('count', 'The number of instances', '4', { isArgument: true }),
    ],
  },
  rebalance: {
    on: 'fleet',
    title: 'Rebalance',
    effect: 'The processes look for leases now, and share them equally.',
    reason: 'demanded',
    thing: ['process', 'processes'],
    hasDryRun: true,
    fields: [
      {
        name: 'role',
        label: 'The role',
        placeholder: 'all roles',
        isArgument: true,
        isOptional: true,
        choices: 'fleetRoles',
      },
    ],
  },
  'limit set': {
    ...onLimit,
    title: 'Set',
    effect:
      'These numbers replace those of the workflows, also for steps that wait. A number that you do not change stays.',
    reason: 'demanded',
    fields: [
      field('key', 'The key of the limit', 'partition:KEY:PARTITION for one partition', {
        isArgument: true,
        isName: true,
      }),
      field('atOnce', 'The largest number of steps at work (0 lets no step begin)', 'no limit', {
        isOptional: true,
      }),
      field('perSecond', 'Attempts that begin in a second, on average', 'no limit', { isOptional: true }),
      field('burst', 'Attempts that begin at once after a quiet time', 'those of a second', {
        isOptional: true,
      }),
    ],
  },
  'limit clear': {
    ...onLimit,
    title: 'Clear',
    effect: 'The numbers of the workflows apply again.',
    reason: 'none',
  },
}
