import type { Fields } from './history.js'
import type { Report, Rule } from './report.js'
import type { Document, Version } from './versions.js'
import { numberIn, objectIn, transitionsOf, type HandlerCall, type JobHistory, type World } from './world.js'

/** Rules about jobs and steps, from version to version. */
export const transitionRules: readonly Rule<World>[] = [
  {
    id: 'never-back',
    says: 'fence, dispatch and generation never go back',
    check: ({ jobs }, report) => {
      for (const document of jobs.flatMap(all)) {
        for (const [before, after] of transitionsOf(document)) {
          if (!after.isThere) continue
          for (const name of ['fence', 'dispatch', 'generation']) {
            if (Number.isNaN(numberIn(before.value, name))) continue
            report.check(
              numberIn(after.value, name) >= numberIn(before.value, name),
              () => `${document.id}: ${name} went back from ${numberIn(before.value, name)}`,
              () => [before.write.operation, after.write.operation],
            )
          }
        }
      }
    },
  },
  {
    id: 'dispatch-fence',
    says: 'every attempt that is dispatched, recovered or stopped has its own fence',
    check: ({ jobs }, report) => {
      for (const document of jobs.flatMap(stepsOf)) {
        for (const [before, after] of transitionsOf(document)) {
          const isNewAttempt =
            numberIn(after.value, 'dispatch') > numberIn(before.value, 'dispatch') ||
            (before.value['lockedBy'] !== null &&
              after.value['lockedBy'] === null &&
              after.value['outcome'] === null)
          if (!after.isThere || !isNewAttempt) continue
          report.check(
            numberIn(after.value, 'fence') > numberIn(before.value, 'fence'),
            () => `${document.id}: attempt ${String(after.value['attempt'])} has the fence of the one before`,
            () => [before.write.operation, after.write.operation],
          )
        }
      }
    },
  },
  {
    id: 'one-outcome',
    says: 'at most one outcome is recorded for an attempt, and one success for a key',
    check: ({ jobs }, report) => {
      for (const step of jobs.flatMap(stepsOf)) checkOneOutcome(step, report)
    },
  },
  {
    id: 'own-outcome',
    says: 'an outcome belongs to the attempt it is recorded for, and its handler ended so',
    check: ({ jobs, calls }, report) => {
      for (const step of jobs.flatMap(stepsOf)) checkOwnOutcome(step, calls, report)
    },
  },
  {
    id: 'deadline',
    says: 'no outcome is recorded after its deadline',
    check: (world, report) => {
      for (const step of world.jobs.flatMap(stepsOf)) checkDeadline(step, world, report)
    },
  },
  {
    id: 'ended',
    says: 'a job that has ended changes only by an operator’s decision',
    check: ({ jobs }, report) => {
      for (const { job } of jobs) {
        for (const [before, after] of transitionsOf(job)) {
          if (!isTerminal(before.value) || !after.isThere) continue
          const isDecided =
            auditOf(after.value).length > auditOf(before.value).length || auditOf(after.value).length === 20
          report.check(
            isDecided || after.value['processState'] === before.value['processState'],
            () =>
              `${job.id} went from ${String(before.value['processState'])} to ${String(after.value['processState'])} by itself`,
            () => [before.write.operation, after.write.operation],
          )
        }
      }
    },
  },
  {
    id: 'one-decision',
    says: 'an operator’s decision is recorded once',
    check: ({ jobs }, report) => {
      for (const { job, last } of jobs) {
        const reasons = auditOf(last ?? {}).map(({ why }) => String(why))
        for (const why of new Set(reasons)) {
          report.check(
            reasons.filter((one) => one === why).length === 1,
            () => `${job.id}: ${why} is recorded more than once`,
            () => [job.versions.at(-1)?.write.operation ?? null],
          )
        }
      }
    },
  },
  {
    id: 'nothing-live-expires',
    says: 'no unfinished job expires',
    check: ({ jobs }, report) => {
      for (const { job } of jobs) {
        for (const { value, write } of job.versions.filter(({ value: { ttl } }) => Number(ttl) > 0)) {
          report.check(
            value['processState'] === 'Processed' || value['processState'] === 'Compensated',
            () => `${job.id} expires although it is ${String(value['processState'])}`,
            () => [write.operation],
          )
        }
      }
    },
  },
]

function stepsOf({ steps }: JobHistory): readonly Document[] {
  return [...steps.values()]
}

function all(history: JobHistory): readonly Document[] {
  return [history.job, ...stepsOf(history)]
}

/** Checks whether a job no longer changes by itself. */
export function isTerminal({ processState }: Fields): boolean {
  return processState === 'Processed' || processState === 'Error' || processState === 'Compensated'
}

/** Returns the recorded decisions of operators about a job. */
export function auditOf(job: Fields): readonly Fields[] {
  return Array.isArray(job['audit']) ? (job['audit'] as Fields[]) : []
}

/** Returns the versions that record an outcome of an attempt that was open in the version before. */
function outcomesOf(step: Document): readonly { before: Version; after: Version; outcome: Fields }[] {
  return transitionsOf(step).flatMap(([before, after]) => {
    const outcome = objectIn(after.value, 'outcome')
    const isNews = JSON.stringify(before.value['outcome']) !== JSON.stringify(after.value['outcome'])
    const isAttempt = numberIn(before.value, 'fence') === numberIn(after.value, 'fence')
    return isNews && isAttempt && 'kind' in outcome ? [{ before, after, outcome }] : []
  })
}

function checkOneOutcome(step: Document, report: Report): void {
  const attempts = new Map<string, Version>()
  const successes = new Map<string, Version>()
  for (const { before, after, outcome } of outcomesOf(step)) {
    const fence = `fence ${numberIn(after.value, 'fence')}`
    const earlier = attempts.get(fence)
    report.check(
      earlier === undefined && before.value['outcome'] === null,
      () => `${step.id}: two outcomes of one attempt, ${fence}`,
      () => [(earlier ?? before).write.operation, after.write.operation],
    )
    attempts.set(fence, after)
    if (outcome['kind'] !== 'success') continue
    const key = String(after.value['idempotencyKey'])
    const twin = successes.get(key)
    report.check(
      twin === undefined,
      () => `${step.id}: two successes under ${key}`,
      () => [twin?.write.operation ?? null, after.write.operation],
    )
    successes.set(key, after)
  }
}

function checkOwnOutcome(step: Document, calls: readonly HandlerCall[], report: Report): void {
  for (const { before, after, outcome } of outcomesOf(step)) {
    const { attempt, idempotencyKey: key, jobId, stepId } = after.value
    report.check(
      outcome['attempt'] === attempt,
      () =>
        `${step.id}: the outcome of attempt ${String(outcome['attempt'])} is recorded for attempt ${String(attempt)}`,
      () => [before.write.operation, after.write.operation],
    )
    const own = calls.filter(
      (call) =>
        call.jobId === jobId &&
        call.stepId === stepId &&
        call.key === key &&
        call.attempt === outcome['attempt'],
    )
    const ended = own.filter(
      ({ operation }) =>
        operation.process === outcome['by'] &&
        operation.end !== null &&
        operation.end.at <= after.write.operation.from &&
        (outcome['kind'] === 'success') === (operation.status === 'ok'),
    )
    // A missing agent, or one with an open circuit, fails an attempt without a call. A success needs a call.
    if (outcome['kind'] === 'failed') continue
    report.check(
      ended.length > 0,
      () =>
        `${step.id}: ${String(outcome['by'])} recorded ${String(outcome['kind'])} of attempt ${String(outcome['attempt'])} of which no call of its own ended so`,
      () => [...own.map(({ operation }) => operation), after.write.operation],
    )
  }
}

function checkDeadline(step: Document, { calls, stepped }: World, report: Report): void {
  for (const { before, after, outcome } of outcomesOf(step)) {
    const deadline = numberIn(before.value, 'completeByMs')
    const at = Date.parse(String(outcome['at']))
    report.check(
      at < deadline,
      () => `${step.id}: an outcome of ${String(outcome['at'])}, ${at - deadline} ms after its deadline`,
      () => [before.write.operation, after.write.operation],
    )
    const by = String(outcome['by'])
    if (stepped.has(by)) continue
    const ended = calls.filter(
      ({ operation, key, attempt }) =>
        operation.process === by &&
        key === after.value['idempotencyKey'] &&
        attempt === outcome['attempt'] &&
        operation.status === 'ok',
    )
    if (outcome['kind'] !== 'success' || ended.length === 0) continue
    report.check(
      ended.some(({ operation }) => (operation.end?.wall ?? 0) < deadline),
      () => `${step.id}: the handler ended after the deadline, and its success is recorded`,
      () => [before.write.operation, ...ended.map(({ operation }) => operation), after.write.operation],
    )
  }
}
