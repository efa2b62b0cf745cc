/** The rule that something breaks. */
export type FindingRule =
  | 'containerMissing'
  | 'actionForbidden'
  | 'leaseContainerKey'
  | 'leaseContainerTtl'
  | 'leaseContainerIndexing'
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

/** Something that a doctor noticed. */
export interface Finding {
  readonly rule: FindingRule
  /** A problem loses, repeats or stops work now or at the next fault; a notice may be as it should be. */
  readonly severity: 'problem' | 'notice'
  /** Null when it concerns a container, not one deployment unit. */
  readonly processorName: string | null
  /** What is the case. */
  readonly observation: string
  /** What to do about it. */
  readonly advice: string
}

export function problem(rule: FindingRule, observation: string, advice: string): UnitFinding {
  return { rule, severity: 'problem', observation, advice }
}

export function notice(rule: FindingRule, observation: string, advice: string): UnitFinding {
  return { rule, severity: 'notice', observation, advice }
}

/** A finding whose unit is known from where it was found. */
export type UnitFinding = Omit<Finding, 'processorName'>
