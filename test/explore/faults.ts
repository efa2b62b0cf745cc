import type { StepDocument } from '../../src/sas/model/documents.js'
import { now } from './canonical.js'
import { production, type Decisions } from './decisions.js'

/** A removed guard, and the world in which the search must detect that. */
export interface Fault {
  readonly guard: string
  readonly world: string
  readonly decisions: Decisions
  /** A part of the problem that the search then reports. */
  readonly breaks: string
}

function fault(guard: string, world: string, breaks: string, decisions: Partial<Decisions>): Fault {
  return { guard, world, breaks, decisions: { ...production, ...decisions } }
}

/** Returns the settlement with a changed step. */
function settling(change: (after: StepDocument, before: StepDocument) => StepDocument): Decisions['settle'] {
  return (step, attempt, outcome, at) => {
    const settlement = production.settle(step, attempt, outcome, at)
    return settlement.kind === 'write' ? { kind: 'write', step: change(settlement.step, step) } : settlement
  }
}

/** Guards whose absence the search detects. Each is removed by injecting a decision without it. */
export const faults: readonly Fault[] = [
  fault('I3: an outcome of an earlier attempt counts for nothing', 'retried', 'I2, I3', {
    settle: (step, attempt, outcome, at) =>
      production.settle(step, { ...attempt, fence: step.fence }, outcome, at),
  }),
  fault('I3: an outcome after the deadline counts for nothing', 'chain', 'I2, I3', {
    settle: (step, attempt, outcome, at) =>
      production.settle(step, attempt, outcome, { ...at, now: at.now - 60_000 }),
  }),
  fault('I2: an attempt ends once', 'retried', 'I2', {
    settle: (step, attempt, outcome, at) => {
      const asOpen = { ...step, outcome: null, completeByMs: step.completeByMs ?? now + 1 }
      return production.settle(asOpen, attempt, outcome, at)
    },
  }),
  fault('a document is replaced only as it was read', 'chain', '', { isWrittenWhenStale: true }),
  fault('I3: what the supervisor gives up is fenced off', 'retried', 'I22', {
    recoverStep: (step, policy) => {
      const recovery = production.recoverStep(step, policy)
      return 'step' in recovery ? { ...recovery, step: { ...recovery.step, fence: step.fence } } : recovery
    },
  }),
  fault('I4: an attempt that was given up counts', 'retried', 'I4', {
    recoverStep: (step, policy) => {
      const recovery = production.recoverStep(step, policy)
      if (recovery.kind !== 'retry') return recovery
      return { ...recovery, step: { ...recovery.step, failureCount: step.failureCount } }
    },
  }),
  fault('a step of another dispatch is not folded into the ledger', 'chain', '', {
    schedule: (state) => {
      const steps = [...state.steps.values()].map((step) => {
        return [step.stepId, { ...step, dispatch: state.job.steps[step.stepId]?.dispatch ?? 0 }] as const
      })
      return production.schedule({ ...state, steps: new Map(steps) })
    },
  }),
  fault('F-K2: what may be running is undone after its deadline only', 'one-step', 'R1', {
    schedule: (state) => {
      const decision = production.schedule(state)
      if (decision.kind !== 'write') return decision
      return { ...decision, changed: decision.changed.map(dispatchedAtOnce) }
    },
  }),
  fault('R1: what may have acted is not forgotten when a later call is refused', 'one-step', 'R1', {
    settle: (step, attempt, outcome, at) => {
      const isRefusal = outcome.kind === 'permanent'
      return production.settle(step, attempt, isRefusal ? { ...outcome, didNothing: true } : outcome, at)
    },
  }),
  fault('R1: who acts beside another process says so first', 'one-step', 'R1', {
    joinAttempt: (step, fence, at) => {
      const joined = production.joinAttempt(step, fence, at)
      return joined.kind === 'write' ? { kind: 'held' } : joined
    },
  }),
  fault('I9: a step that is resubmitted keeps its key where it may have acted', 'without-undo', 'I9', {
    operate: (standing, command) => {
      const operation = production.operate(standing, command)
      if (operation.kind !== 'write' || command.kind !== 'resubmit' || command.steps !== undefined)
        return operation
      const changed = operation.changed.map((step) => {
        return step.direction === 'undo'
          ? step
          : { ...step, generation: step.generation + 1, mayHaveActed: false }
      })
      return { ...operation, changed }
    },
  }),
  fault('R41: an undo is given what its step returned, not what it was given', 'one-step', 'R41', {
    settle: settling((after, before) => {
      const { undo } = after
      return undo === null ? after : { ...after, undo: { ...undo, input: before.input } }
    }),
  }),
  fault('I8: a step that was given back calls for a scheduler', 'retried', 'I8', {
    schedulerMustRead: (document) => document.type === 'sas.job' && production.schedulerMustRead(document),
    recoverJob: () => ({ kind: 'nothing' }),
  }),
  fault('I42: a snooze hides no problem of another step', 'triaged', 'I42', {
    schedule: (state) => {
      const { triage: _triage, otherTriages: _others, ...untriaged } = state.job
      const decision = production.schedule({ ...state, job: untriaged })
      if (decision.kind !== 'write') return decision
      return { ...decision, job: { ...state.job, ...decision.job } }
    },
  }),
  fault('I42: a triage changes nothing that a role decides by', 'triaged', 'I42', {
    operate: (standing, command) => {
      const operation = production.operate(standing, command)
      if (operation.kind !== 'write' || command.kind !== 'triage') return operation
      return { ...operation, job: { ...operation.job, fence: operation.job.fence + 1 } }
    },
  }),
  fault('I15: a job in Error says why', 'one-step', 'I20', {
    schedule: (state) => {
      const decision = production.schedule(state)
      return decision.kind === 'write' ? { ...decision, job: { ...decision.job, attention: null } } : decision
    },
  }),
  fault('F-K2: an undo waits for the handlers of attempts that were given back', 'stopping', 'R1', {
    giveBack: (step, claimant, at) => {
      const given = production.giveBack(step, claimant, at)
      if (given === null) return null
      const { mayRunUntilMs: _until, ...others } = given
      return others
    },
  }),
  fault('an attempt of two processes is only left', 'stopping', 'of two processes', {
    giveBack: (step, claimant, at) => {
      const { joinedFence: _joined, ...others } = step
      return production.giveBack(others, claimant, at)
    },
  }),
  fault('I4: an attempt that was left counts no failure', 'stopping', 'I4', {
    recoverStep: ({ leftFence: _left, ...step }, policy) => production.recoverStep(step, policy),
  }),
]

/** Starts an undo that waits for a deadline at once. */
function dispatchedAtOnce(step: StepDocument): StepDocument {
  if (step.direction !== 'undo' || step.lockedBy !== null || step.notBeforeMs === null) return step
  const completeByMs = now + step.completeWithinMs
  return { ...step, lockedBy: 'scheduler', notBeforeMs: null, completeByMs }
}
