import type { Fields, Operation } from './history.js'
import type { Report, Rule } from './report.js'
import { auditOf, isTerminal } from './transitions.js'
import { numberIn, type JobHistory, type World } from './world.js'

/** Rules about answers to callers. */
export const promiseRules: readonly Rule<World>[] = [
  {
    id: 'accepted',
    says: 'once machines and store work again, an accepted job is Processed, Compensated, or flagged with the reason',
    check: ({ history, jobs }, report) => {
      for (const submission of operations(history.operations, 'submit', 'ok')) {
        const job = jobs.find(({ jobId }) => jobId === submission.invoke['jobId'])
        const last = job?.last
        const newest = job?.job.versions.at(-1)?.write.operation ?? null
        const state = last === undefined ? 'not there' : String(last['processState'])
        report.check(
          last !== undefined && (isEnded(last) || isSetAside(job, last)),
          () => `job ${String(submission.invoke['jobId'])} was accepted and is ${state} at the end`,
          () => [submission, newest],
        )
      }
    },
  },
  {
    id: 'submitted-once',
    says: 'the same id with the same input is the same job, with another input it is refused',
    check: ({ history, jobs }, report) => {
      const accepted = operations(history.operations, 'submit', 'ok')
      for (const { jobId, job } of jobs) {
        const own = accepted.filter(({ invoke }) => invoke['jobId'] === jobId)
        const inputs = new Set(own.map(({ invoke }) => JSON.stringify(invoke['input'])))
        const created = job.writes.filter(
          ({ kind, operation }) => kind === 'create' && operation.status === 'ok',
        )
        report.check(
          inputs.size <= 1 && created.length <= 1,
          () => `${jobId} was accepted with ${inputs.size} inputs and created ${created.length} times`,
          () => own,
        )
      }
    },
  },
  {
    id: 'whole-submission',
    says: 'job, steps or their plans, and documents alongside are durable together when submit resolves',
    check: ({ history, documents, jobs }, report) => {
      for (const submission of operations(history.operations, 'submit', 'ok')) {
        const id = String(submission.invoke['jobId'])
        const own = documents.find((one) => one.id === `own-${id}`)
        const job = jobs.find(({ jobId }) => jobId === id)
        const first = job?.job.versions[0]?.value
        const stepIds = first?.['stepIds']
        const planned = plannedIn(first)
        const isWhole =
          job !== undefined &&
          own !== undefined &&
          own.versions.length > 0 &&
          Array.isArray(stepIds) &&
          stepIds.every(
            (stepId) => planned.has(stepId) || (job.steps.get(String(stepId))?.versions.length ?? 0) > 0,
          )
        report.check(
          isWhole,
          () => `${id} was accepted, and not all of it was written`,
          () => [submission],
        )
      }
    },
  },
  {
    id: 'planned-or-stored',
    says: 'the transaction that creates the document of a step also removes its plan from the job',
    check: ({ jobs }, report) => {
      for (const { jobId, job, steps } of jobs) {
        for (const [stepId, { versions }] of steps) {
          const created = versions[0]?.write
          const wasPlanned = job.versions.some(({ value }) => plannedIn(value).has(stepId))
          if (created?.kind !== 'create' || !wasPlanned) continue
          const withIt = job.versions.find(({ write }) => write.operation === created.operation)
          report.check(
            withIt !== undefined && !plannedIn(withIt.value).has(stepId),
            () =>
              `${stepId} of ${jobId} was created while the job kept its plan, or without a write of the job`,
            () => [created.operation],
          )
        }
      }
    },
  },
  {
    id: 'command-stands',
    says: 'an accepted command is on record, and a cancelled job does not end Processed',
    check: ({ history, jobs }, report) => {
      for (const command of operations(history.operations, 'command', 'ok')) {
        const { jobId, why, command: kind } = command.invoke
        if (kind === 'raise') continue
        const job = jobs.find((one) => one.jobId === jobId)
        const isRecorded =
          job?.job.versions.some(({ value }) => auditOf(value).some((entry) => entry['why'] === why)) === true
        const later = operations(history.operations, 'command', 'ok').some(
          ({ invoke, from }) =>
            invoke['jobId'] === jobId && invoke['command'] === 'resubmit' && from > command.from,
        )
        const isUndone = kind === 'cancel' && !later && job?.last?.['processState'] === 'Processed'
        report.check(
          isRecorded && !isUndone,
          () =>
            `${String(kind)} of ${String(jobId)} was accepted and ${isRecorded ? 'ignored' : 'is not on record'}`,
          () => [command, job?.job.versions.at(-1)?.write.operation ?? null],
        )
      }
    },
  },
  {
    id: 'notices',
    says: 'a submitter gets every notice at least once, in order of seq, and the end of the job last',
    check: (world, report) => {
      for (const job of world.jobs) checkNotices(job, world, report)
    },
  },
  {
    id: 'yours-untouched',
    says: 'the user’s documents are neither written nor deleted',
    check: ({ documents }, report) => {
      for (const { id, writes } of documents.filter((one) => one.id.startsWith('own-'))) {
        for (const { kind, operation } of writes) {
          report.check(
            kind === 'create',
            () => `${operation.process} made a ${kind} of ${id}`,
            () => [operation],
          )
        }
      }
    },
  },
]

function operations(
  all: readonly Operation[],
  what: string,
  status: Operation['status'],
): readonly Operation[] {
  return all.filter((one) => one.what === what && one.status === status)
}

function isEnded(job: Fields): boolean {
  return isTerminal(job) && (job['processState'] !== 'Error' || job['attention'] !== null)
}

/** Checks whether the job waits for a person. */
function isSetAside(job: JobHistory | undefined, { attention }: Fields): boolean {
  const steps = [...(job?.steps.values() ?? [])].map(({ versions }) => versions.at(-1)?.value['attention'])
  return [attention, ...steps].some((flag) => (flag as Fields | null | undefined)?.['kind'] === 'parked')
}

function checkNotices({ jobId, job, notices, last }: JobHistory, { documents }: World, report: Report): void {
  if (last === undefined || last['replyTo'] === null || job.versions.length === 0) return
  const told = notices
    .flatMap(({ versions }) => versions.slice(0, 1))
    .sort((a, b) => numberIn(a.value, 'seq') - numberIn(b.value, 'seq'))
  const numbers = told.map(({ value }) => numberIn(value, 'seq'))
  const isGapless = numbers.every((seq, index) => seq === index + 1)
  report.check(
    isGapless && numbers.length === numberIn(last, 'notifySeq'),
    () => `job ${jobId} has ${numberIn(last, 'notifySeq')} notices; written are ${numbers.join(', ')}`,
    () => [job.versions.at(-1)?.write.operation ?? null],
  )
  if (isTerminal(last)) {
    const final = told.at(-1)?.value
    report.check(
      final?.['kind'] === 'finished' && final['state'] === last['processState'],
      () =>
        `job ${jobId} is ${String(last['processState'])}, and its last notice says ${String(final?.['kind'])} ${String(final?.['state'])}`,
      () => [told.at(-1)?.write.operation ?? null, job.versions.at(-1)?.write.operation ?? null],
    )
  }
  // Finds the first write of each reply into the container, in order of time.
  let latest = 0
  for (const notice of notices) {
    const sent = notice.versions.find(({ value }) => typeof value['sentAt'] === 'string')
    if (sent === undefined) continue
    const reply = documents.find(({ id }) => id === `reply:${notice.id}`)
    const first = reply?.writes.map(({ operation }) => operation.from).sort((a, b) => a - b)[0] ?? Infinity
    report.check(
      first <= sent.write.operation.from,
      () => `${notice.id} is recorded as sent, and was not`,
      () => [sent.write.operation],
    )
  }
  for (const seq of numbers) {
    const notice = notices.find(({ versions }) => numberIn(versions[0]?.value ?? {}, 'seq') === seq)
    const reply = documents.find(({ id }) => id === `reply:${notice?.id}`)
    const first = reply?.writes.map(({ operation }) => operation.from).sort((a, b) => a - b)[0]
    if (first === undefined) continue
    report.check(
      first >= latest,
      () => `job ${jobId}: notice ${seq} was told before one with a lower number`,
      () => reply?.writes.map(({ operation }) => operation) ?? [],
    )
    latest = Math.max(latest, first)
  }
}

/** Returns the ids of the steps that a version of a job has planned. */
function plannedIn(job: Fields | undefined): ReadonlySet<unknown> {
  const planned = job?.['planned']
  return new Set(Array.isArray(planned) ? (planned as readonly Fields[]).map(({ id }) => id) : [])
}
