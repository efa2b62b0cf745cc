import type { HistoryEvent, Operation } from './history.js'
import type { Report, Rule } from './report.js'
import type { Document, Version } from './versions.js'
import { numberIn, objectIn, type Effect, type HandlerCall, type JobHistory, type World } from './world.js'

/** Rules about effects in the remote service: by key, and their order. */
export const effectRules: readonly Rule<World>[] = [
  {
    id: 'one-effect',
    says: 'with a service that recognises the key, a step that is attempted several times has one effect',
    check: ({ effects, history }, report) => {
      for (const own of bySteps(effects).values()) checkOneEffect(own, history.operations, report)
    },
  },
  {
    id: 'key-kept',
    says: 'a key changes only after its undo, or when the input was edited',
    check: ({ calls, effects, history }, report) => {
      for (const own of bySteps(calls.filter(({ kind }) => kind === 'do')).values()) {
        checkKeys(own, effects, history.operations, report)
      }
    },
  },
  {
    id: 'undone',
    says: 'when a job is Compensated, every key with an effect was undone, if its step has an undo',
    check: ({ jobs, effects }, report) => {
      for (const job of jobs) checkUndone(job, effects, report)
    },
  },
  {
    id: 'nothing-after-undo',
    says: 'no attempt is dispatched under a key whose undo was dispatched',
    check: ({ jobs }, report) => {
      for (const step of jobs.flatMap(({ steps }) => [...steps.values()])) checkAfterUndo(step, report)
    },
  },
  {
    id: 'dependencies',
    says: 'a step does not run before the steps it depends on',
    check: (world, report) => {
      for (const job of world.jobs) checkDependencies(job, world, report)
    },
  },
  {
    id: 'reverse-order',
    says: 'undo runs in reverse order',
    check: (world, report) => {
      for (const job of world.jobs) checkReverseOrder(job, world, report)
    },
  },
  {
    id: 'done-is-done',
    says: 'every step of a Processed job has had its effect, or was skipped by its condition',
    check: ({ jobs, effects }, report) => {
      for (const job of jobs) checkDone(job, effects, report)
    },
  },
  {
    id: 'undo-input',
    says: 'an undo is given what its step returned, as recorded with the success',
    check: (world, report) => {
      for (const job of world.jobs) checkUndoInput(job, world, report)
    },
  },
]

/** Groups by job and step, keeping the order. */
function bySteps<T extends { readonly jobId: string; readonly stepId: string }>(
  all: readonly T[],
): Map<string, T[]> {
  const found = new Map<string, T[]>()
  for (const one of all) {
    const name = `${one.jobId}/${one.stepId}`
    found.set(name, [...(found.get(name) ?? []), one])
  }
  return found
}

/** Returns the edits of a step's input that an operator may have made. */
function editsOf(
  { jobId, stepId }: { jobId: string; stepId: string },
  operations: readonly Operation[],
): readonly Operation[] {
  return operations.filter(
    ({ what, status, invoke }) =>
      what === 'command' &&
      status !== 'fail' &&
      invoke['isEdited'] === true &&
      invoke['jobId'] === jobId &&
      invoke['step'] === stepId,
  )
}

function checkOneEffect(own: readonly Effect[], operations: readonly Operation[], report: Report): void {
  const live = new Map<string, Effect>()
  for (const effect of own) {
    if (effect.kind === 'undo') {
      if (effect.undoes !== null) live.delete(effect.undoes)
      continue
    }
    const others = [...live.values()].filter(({ key }) => key !== effect.key)
    const isEdited = others.every((other) =>
      editsOf(effect, operations).some(({ from }) => from > other.at && from < effect.at),
    )
    report.check(
      !live.has(effect.key) && (others.length === 0 || isEdited),
      () =>
        `${effect.jobId}/${effect.stepId} has an effect under ${[...live.keys(), effect.key].join(' and ')}`,
      () => [...[...live.values()].map(({ event }) => event), effect.event],
    )
    live.set(effect.key, effect)
  }
}

function checkKeys(
  calls: readonly HandlerCall[],
  effects: readonly Effect[],
  operations: readonly Operation[],
  report: Report,
): void {
  for (const [index, call] of calls.entries()) {
    const before = calls[index - 1]
    if (before === undefined || before.key === call.key) continue
    // A frozen attempt may call late under its old key. That is not a change of the key.
    if (calls.slice(0, index).some(({ key }) => key === call.key)) continue
    const mayHaveActed = calls
      .slice(0, index)
      .some(
        ({ key, operation }) =>
          key === before.key && !(operation.status === 'fail' && operation.end?.['isPermanent'] === true),
      )
    const isUndone = effects.some(({ undoes, at }) => undoes === before.key && at < call.operation.from)
    const isEdited = editsOf(call, operations).some(
      ({ from }) => from > before.operation.from && from < call.operation.from,
    )
    report.check(
      !mayHaveActed || isUndone || isEdited,
      () => `the key of ${call.jobId}/${call.stepId} changed from ${before.key} to ${call.key}`,
      () => [before.operation, call.operation],
    )
  }
}

function checkUndone(
  { jobId, job, steps, last }: JobHistory,
  effects: readonly Effect[],
  report: Report,
): void {
  if (last?.['processState'] !== 'Compensated') return
  for (const effect of effects.filter((one) => one.jobId === jobId && one.kind === 'do')) {
    const step = steps.get(effect.stepId)?.versions[0]?.value
    const undo = objectIn(step, 'undo')
    if (!('actor' in undo)) continue
    const isUndone = effects.some(({ undoes }) => undoes === effect.key)
    report.check(
      isUndone || undo['whenUncertain'] === false,
      () => `job ${jobId} is Compensated, and ${effect.key} still has its effect`,
      () => [effect.event, job.versions.at(-1)?.write.operation ?? null],
    )
  }
}

function checkAfterUndo(step: Document, report: Report): void {
  /** The version that dispatched the undo of each key. */
  const undone = new Map<string, Version>()
  for (const version of step.versions) {
    const { direction, lockedBy, idempotencyKey } = version.value
    if (lockedBy === null || typeof idempotencyKey !== 'string') continue
    if (direction === 'undo') {
      undone.set(idempotencyKey.replace(/undo$/, 'do'), version)
      continue
    }
    const undo = undone.get(idempotencyKey)
    report.check(
      undo === undefined,
      () => `an attempt under ${idempotencyKey} was dispatched after its undo`,
      () => [undo?.write.operation ?? null, version.write.operation],
    )
  }
}

/** Returns the ids of the steps that this one waits for. */
function dependenciesOf({ steps }: JobHistory, stepId: string): readonly string[] {
  const ids = steps.get(stepId)?.versions[0]?.value['dependsOn']
  return Array.isArray(ids) ? (ids as string[]) : []
}

function isRunByAgents({ steps }: JobHistory, stepId: string): boolean {
  return steps.get(stepId)?.versions[0]?.value['kind'] === 'operation'
}

function checkDependencies(job: JobHistory, { calls, effects }: World, report: Report): void {
  for (const call of calls.filter(({ jobId, kind }) => jobId === job.jobId && kind === 'do')) {
    for (const needed of dependenciesOf(job, call.stepId)) {
      const versions = job.steps.get(needed)?.versions ?? []
      const isDone = versions.some(
        ({ value, write }) =>
          value['processState'] === 'Processed' && write.operation.from <= call.operation.from,
      )
      const isSkipped = job.job.versions.some(
        ({ value, write }) =>
          objectIn(objectIn(value, 'steps'), needed)['state'] === 'Skipped' &&
          write.operation.from <= call.operation.from,
      )
      const hasEffect =
        !isRunByAgents(job, needed) ||
        effects.some(
          ({ jobId, stepId, kind, at }) =>
            jobId === job.jobId && stepId === needed && kind === 'do' && at < call.operation.from,
        )
      report.check(
        isSkipped || (isDone && hasEffect),
        () => `${job.jobId}/${call.stepId} was begun before ${needed} was done`,
        () => [call.operation],
      )
    }
  }
}

function checkReverseOrder(job: JobHistory, { calls, effects }: World, report: Report): void {
  const live = effects.filter(({ jobId, kind }) => jobId === job.jobId && kind === 'do')
  for (const undo of calls.filter(({ jobId, kind }) => jobId === job.jobId && kind === 'undo')) {
    for (const effect of live) {
      const isDependent = dependsOn(job, effect.stepId, undo.stepId)
      const hasUndo = 'actor' in objectIn(job.steps.get(effect.stepId)?.versions[0]?.value, 'undo')
      if (!isDependent || !hasUndo || effect.at > undo.operation.from) continue
      const isUndone = effects.some(({ undoes, at }) => undoes === effect.key && at < undo.operation.from)
      report.check(
        isUndone,
        () => `${job.jobId}/${undo.stepId} was undone before ${effect.stepId}, which depends on it`,
        () => [effect.event, undo.operation],
      )
    }
  }
}

/** Checks whether a step depends on the other, directly or indirectly. */
function dependsOn(job: JobHistory, stepId: string, other: string): boolean {
  return dependenciesOf(job, stepId).some((needed) => needed === other || dependsOn(job, needed, other))
}

function checkDone(job: JobHistory, effects: readonly Effect[], report: Report): void {
  const { jobId, last, steps } = job
  if (last?.['processState'] !== 'Processed') return
  for (const stepId of steps.keys()) {
    const state = objectIn(objectIn(last, 'steps'), stepId)['state']
    if (!isRunByAgents(job, stepId) || state === 'Skipped') continue
    const own = effects.filter((one) => one.jobId === jobId && one.stepId === stepId)
    const isLive = own.some(({ kind, key }) => kind === 'do' && !own.some(({ undoes }) => undoes === key))
    report.check(
      isLive,
      () => `job ${jobId} is Processed, and step ${stepId} has no effect`,
      (): readonly (HistoryEvent | Operation | null)[] => [
        ...own.map(({ event }) => event),
        job.job.versions.at(-1)?.write.operation ?? null,
      ],
    )
  }
}

function checkUndoInput(job: JobHistory, { calls }: World, report: Report): void {
  for (const undo of calls.filter(({ jobId, kind }) => jobId === job.jobId && kind === 'undo')) {
    const success = job.steps
      .get(undo.stepId)
      ?.versions.filter(
        ({ value, write }) => isSuccess(value, undo.undoes) && write.operation.from < undo.operation.from,
      )
      .at(-1)
    if (success === undefined) continue
    const receipt = numberIn(objectIn(success.value, 'output'), 'receipt')
    report.check(
      undo.receipt === receipt,
      () =>
        `the undo of ${job.jobId}/${undo.stepId} was given ${String(undo.receipt)}, its step returned ${receipt}`,
      () => [success.write.operation, undo.operation],
    )
  }
}

function isSuccess(step: Readonly<Record<string, unknown>>, key: string | null): boolean {
  return step['direction'] === 'do' && step['processState'] === 'Processed' && step['idempotencyKey'] === key
}
