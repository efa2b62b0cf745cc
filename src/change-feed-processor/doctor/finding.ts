import type { ContainerFinding } from '../../../lease-store/internal.js'

/** The name of the rule that led to a finding. */
export type FindingRule =
  | 'containerMissing'
  | 'actionForbidden'
  | ContainerFinding<'lease'>['rule']
  | 'clockSkew'
  | 'accountSpelling'
  | 'foreignLease'
  | 'duplicateLease'
  | 'gap'
  | 'overlap'
  | 'unfinishedSplit'
  | 'mixedModes'
  | 'markerMissing'
  | 'nothingButMarker'
  | 'staleLock'
  | 'staleOwner'
  | 'leftFree'
  | 'instanceNameTwice'
  | 'notRunning'

/** One observation of the doctor, with advice. */
export interface Finding {
  readonly rule: FindingRule
  /**
   * A problem causes lost, repeated or stopped work, now or at the next fault. A hint reports a state that
   * may be intended.
   */
  readonly severity: 'problem' | 'hint'
  /** The processor name of the unit, or null if the finding concerns a container. */
  readonly processorName: string | null
  /** The state that was found. */
  readonly observation: string
  /** The action to take. */
  readonly advice: string
}

export function problem(rule: FindingRule, observation: string, advice: string): UnitFinding {
  return { rule, severity: 'problem', observation, advice }
}

export function hint(rule: FindingRule, observation: string, advice: string): UnitFinding {
  return { rule, severity: 'hint', observation, advice }
}

/** A finding whose unit is known from the context. */
export type UnitFinding = Omit<Finding, 'processorName'>
