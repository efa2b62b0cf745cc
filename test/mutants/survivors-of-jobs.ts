import type { Survivors } from './verdict.js'

/** Those of `src/sas`. */
export const survivorsOfJobs: readonly Survivors[] = [
  {
    path: 'src/sas/decisions/compensate.ts',
    reason:
      'Needed by the compiler only: every step of a job has an entry in its ledger, what is used here was read before, and a job on its way back says why.',
    mutants: [
      ['ahead.push(...(steps.get(next)?.dependsOn ?? []))', '[]', '["Stryker was here"]'],
      [
        "const passed = job.stepIds.filter((stepId) => hasBegun(stepId) || ledger[stepId]?.state === 'Skipped')",
        'ledger[stepId]?.state',
        'ledger[stepId].state',
      ],
      [
        "const cause = steps.get(stepId)?.attention?.message ?? 'no reason recorded'",
        'steps.get(stepId)?.attention?.message',
        'steps.get(stepId)?.attention.message',
      ],
      [
        "const cause = steps.get(stepId)?.attention?.message ?? 'no reason recorded'",
        'steps.get(stepId)?.attention',
        'steps.get(stepId).attention',
      ],
      [
        'const policies = failed.map((stepId) => steps.get(stepId)?.onExhausted)',
        'steps.get(stepId)?.onExhausted',
        'steps.get(stepId).onExhausted',
      ],
      [
        'const hasBegun = (stepId: string): boolean => (ledger[stepId]?.dispatch ?? 0) > 0',
        'ledger[stepId]?.dispatch',
        'ledger[stepId].dispatch',
      ],
      [
        "if (ledger[step.stepId]?.state !== 'Compensating') return []",
        'ledger[step.stepId]?.state',
        'ledger[step.stepId].state',
      ],
      [
        'const isFirst = changes.length > 0 && job.compensation?.thenRetry === true',
        'job.compensation?.thenRetry',
        'job.compensation.thenRetry',
      ],
      ['const state = ledger[step.stepId]?.state', 'ledger[step.stepId]?.state', 'ledger[step.stepId].state'],
      [
        "return entry?.state === 'Processed' ? step.undo !== null : isLeftBehind(entry) && owedBy(step).length > 0",
        'entry?.state',
        'entry.state',
      ],
      [
        'ahead.push(...(steps.get(next)?.dependsOn ?? []))',
        'steps.get(next)?.dependsOn',
        'steps.get(next).dependsOn',
      ],
      [
        'if (compensation?.thenRetry !== true) return endJob(home, finished, {})',
        'compensation?.thenRetry',
        'compensation.thenRetry',
      ],
    ],
  },
  {
    path: 'src/sas/decisions/continue-or-end-job.ts',
    reason: 'Needed by the compiler only: what is used here was seen before.',
    mutants: [
      [
        'const flag = isSeen ? steps.get(stepId)?.attention : job.attention',
        'steps.get(stepId)?.attention',
        'steps.get(stepId).attention',
      ],
    ],
  },
  {
    path: 'src/sas/decisions/dispatch.ts',
    reason: 'Needed by the compiler only: a step with an undo goes back when it owes at least one.',
    mutants: [
      [
        'undo: step.undo && { ...step.undo, input: newest?.input ?? null, failureCount: 0 },',
        'newest?.input',
        'newest.input',
      ],
    ],
  },
  {
    path: 'src/sas/decisions/dispatch.ts',
    reason: 'For speed: one change alone needs not be measured.',
    mutants: [
      ['if (changes.length <= 1) return changes', 'changes.length <= 1', 'false'],
      ['if (changes.length <= 1) return changes', 'changes.length <= 1', 'changes.length < 1'],
    ],
  },
  {
    path: 'src/platform/options/duration.ts',
    reason: 'Any text that is not a unit has the same effect.',
    mutants: [
      [
        "const [, amount, unit = ''] = /^(\\d+(?:\\.\\d+)?)([a-z]+)$/.exec(value.trim()) ?? []",
        "''",
        '"Stryker was here!"',
      ],
      [
        "const [, amount, unit = ''] = /^(\\d+(?:\\.\\d+)?)([a-z]+)$/.exec(value.trim()) ?? []",
        '[]',
        '["Stryker was here"]',
      ],
    ],
  },
  {
    path: 'src/sas/plan/fan-out.ts',
    reason:
      'Only a gathering step depends on steps of left-out items, and each of its items depends on one of them.',
    mutants: [
      [
        'if (fanOut === undefined || !step.dependsOn.some((id) => ids.has(id))) return step',
        'fanOut === undefined || !step.dependsOn.some((id) => ids.has(id))',
        'fanOut === undefined && !step.dependsOn.some(id => ids.has(id))',
      ],
      [
        'if (fanOut === undefined || !step.dependsOn.some((id) => ids.has(id))) return step',
        'fanOut === undefined',
        'false',
      ],
      [
        'const items = fanOut.input.items.filter((item) => ![...stepsReferredTo(item)].some((id) => ids.has(id)))',
        '[...stepsReferredTo(item)].some((id) => ids.has(id))',
        '[...stepsReferredTo(item)].every(id => ids.has(id))',
      ],
    ],
  },
  {
    path: 'src/sas/workflow/for-each.ts',
    reason: 'Needed by the compiler only: a condition that is undefined is none.',
    mutants: [
      [
        "options: { after, undo: 'none', ...(when === undefined ? {} : { when }) },",
        'when === undefined',
        'false',
      ],
    ],
  },
  {
    path: 'src/sas/decisions/ledger.ts',
    reason: 'Needed by the compiler only: every step of a job has an entry.',
    mutants: [
      ['const state = ledger[stepId]?.state', 'ledger[stepId]?.state', 'ledger[stepId].state'],
      ['return state === undefined ? undefined : outcomes[state]', 'state === undefined', 'false'],
    ],
  },
  {
    path: 'src/sas/decisions/operator/resubmit.ts',
    reason: 'What an operator gives was found to be JSON before.',
    mutants: [
      [
        "inputTemplate: input === undefined ? step.inputTemplate : toTemplate(input, 'input'),",
        "'input'",
        '""',
      ],
    ],
  },
  {
    path: 'src/sas/decisions/operator/request.ts',
    reason: 'An edit without a step is none.',
    mutants: [
      ['export function editsIn({ steps = [] }: Resubmission): Edits {', '[]', '["Stryker was here"]'],
    ],
  },
  {
    path: 'src/sas/workflow/step-options.ts',
    reason: 'What is not said follows the job.',
    mutants: [["return { onExhausted: onExhausted ?? 'error' }", "'error'", '""']],
  },
  {
    path: 'src/sas/decisions/schedule.ts',
    reason:
      'Needed by the compiler only: every step of a job has an entry in its ledger, and the steps used here were read before.',
    mutants: [
      [
        "const cause = steps.get(stepId)?.attention?.message ?? 'no reason recorded'",
        'steps.get(stepId)?.attention',
        'steps.get(stepId).attention',
      ],
      [
        "const failed = job.stepIds.filter((stepId) => ledger[stepId]?.state === 'Error')",
        'ledger[stepId]?.state',
        'ledger[stepId].state',
      ],
      [
        "const isFree = step?.dispatch === ledger[stepId]?.dispatch && step?.processState === 'Pending'",
        'ledger[stepId]?.dispatch',
        'ledger[stepId].dispatch',
      ],
      [
        "const isFree = step?.dispatch === ledger[stepId]?.dispatch && step?.processState === 'Pending'",
        'step?.processState',
        'step.processState',
      ],
      [
        "const open = job.stepIds.filter((stepId) => ledger[stepId]?.state === 'NotStarted')",
        'ledger[stepId]?.state',
        'ledger[stepId].state',
      ],
      ["const [stepId = ''] = failed", "''", '"Stryker was here!"'],
      ['return step === undefined ? [] : [cancelStep(step)]', '[]', '["Stryker was here"]'],
      ['return step === undefined ? [] : [cancelStep(step)]', 'step === undefined', 'false'],
    ],
  },
  {
    path: 'src/sas/decisions/schedule.ts',
    reason: 'Steps under way in a released job were read before; no other step can become ready by that.',
    mutants: [
      [
        'return { steps: ready, missing: job.lockedBy === null || mayBegin(ledger) ? missing : [] }',
        'job.lockedBy === null',
        'false',
      ],
    ],
  },
  {
    path: 'src/sas/decisions/settle.ts',
    reason: 'Needed by the compiler only: no other outcome says whether it did nothing.',
    mutants: [
      [
        "const didNothing = outcome.kind === 'permanent' && outcome.didNothing === true",
        "outcome.kind === 'permanent'",
        'true',
      ],
    ],
  },
  {
    path: 'src/sas/plan/template.ts',
    reason: 'What is in a template was found to be JSON before, and what is not there has no parts.',
    mutants: [
      ["return value === undefined ? undefined : toTemplate(value, 'value')", "'value'", '""'],
      ['if (key === undefined || template === undefined) return template', 'template === undefined', 'false'],
      ["case 'value':", "case 'value': return undefined", "case 'value':"],
      ["case 'value':", "'value'", '""'],
    ],
  },
  {
    path: 'src/sas/store/transaction.ts',
    reason: 'For speed: what is written out to be measured is measured alike.',
    mutants: [
      ['if (mostBytesOf(value) <= limitBytes) return false', 'mostBytesOf(value) <= limitBytes', 'false'],
      [
        'if (mostBytesOf(value) <= limitBytes) return false',
        'mostBytesOf(value) <= limitBytes',
        'mostBytesOf(value) < limitBytes',
      ],
      [
        'return mostBytesOf(value, closeBytesOfText) > limitBytes && bytesOf(value) > limitBytes',
        'mostBytesOf(value, closeBytesOfText) > limitBytes',
        'true',
      ],
      [
        'return mostBytesOf(value, closeBytesOfText) > limitBytes && bytesOf(value) > limitBytes',
        'mostBytesOf(value, closeBytesOfText) > limitBytes',
        'mostBytesOf(value, closeBytesOfText) >= limitBytes',
      ],
    ],
  },
  {
    path: 'src/sas/workflow/undo-problems.ts',
    reason:
      'Needed by the compiler only: steps stand after those they wait for, or the definition is refused.',
    mutants: [
      [
        'const by = failing.find(({ step }) => step.id !== id && ancestors.get(id)?.has(step.id) !== true)',
        'ancestors.get(id)?.has',
        'ancestors.get(id).has',
      ],
      [
        'found.set(id, new Set(dependsOn.flatMap((other) => [other, ...(found.get(other) ?? [])])))',
        '[]',
        '["Stryker was here"]',
      ],
    ],
  },
  {
    path: 'src/sas/client/waits/wait-pace.ts',
    reason: 'As quick as before changes nothing; needed by the compiler only: a workflow was just added.',
    mutants: [
      [
        'const counts = newestMs > before ? newestCounts.slower : newestCounts.quicker',
        'newestMs > before',
        'newestMs >= before',
      ],
      [
        'if (oldest !== undefined && this.firstReads.size > rememberedWorkflows) this.firstReads.delete(oldest)',
        'oldest !== undefined',
        'true',
      ],
    ],
  },
  {
    path: 'src/sas/plan/pattern.ts',
    reason: 'For speed and memory: a pattern that was forgotten is compiled again.',
    mutants: [
      ['if (known !== undefined) return known', 'known !== undefined', 'false'],
      [
        'if (remembered.size >= maxRemembered) remembered.clear()',
        'remembered.size >= maxRemembered',
        'true',
      ],
      [
        'if (remembered.size >= maxRemembered) remembered.clear()',
        'remembered.size >= maxRemembered',
        'false',
      ],
      [
        'if (remembered.size >= maxRemembered) remembered.clear()',
        'remembered.size >= maxRemembered',
        'remembered.size > maxRemembered',
      ],
      [
        'if (remembered.size >= maxRemembered) remembered.clear()',
        'remembered.size >= maxRemembered',
        'remembered.size < maxRemembered',
      ],
      ["const size = made.matcher('').programSize()", "''", '"Stryker was here!"'],
    ],
  },
  {
    path: 'src/sas/plan/pattern.ts',
    reason: 'The engine throws nothing else.',
    mutants: [
      ['if (!(error instanceof RE2JSException)) throw error', '!(error instanceof RE2JSException)', 'false'],
    ],
  },
]
