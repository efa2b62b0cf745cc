/** What a job does that costs request units, without faults. */
export interface JobShape {
  /** The number of steps of a job. The steps run one after another. */
  readonly steps: number
  /** The number of steps whose attempts are claimed before they begin. */
  readonly claimedSteps: number
  /** The number of steps that have documents before they begin. Default: all if there are many, otherwise 0. */
  readonly storedSteps?: number
  /**
   * The number of steps that need documents when they begin, also if the roles share a process: those with claims, limits, rounds or
   * secrets. Default: those that are claimed.
   */
  readonly documentedSteps?: number
  /** The number of times that the job and its steps enter a limit that has room. Default 0. */
  readonly limits?: number
  /** The rounds of repeated steps after the first one, without a pause before them. Default 0. */
  readonly rounds?: number
  /** The rounds of repeated steps after the first one that have a pause before them. Default 0. */
  readonly pausedRounds?: number
  /** Whether the job comes to a shared limit before its first attempt, so its submission does not begin it. */
  readonly isLimitedFirst?: boolean
  /** Whether the store deletes the ended job. Its end then sets the expiry of each step. */
  readonly isRetained?: boolean
  /** Whether the job is an item of a large list, which its parent reads. */
  readonly isItem?: boolean
}

/** The description of the jobs and instances whose cost is computed. */
export interface CostQuestion extends JobShape {
  /** The mean size of a job's stored documents, in kilobytes of 1,024 bytes. */
  readonly documentKilobytes: number
  /** The indexing of the containers: only paths that queries need (`lean`), or all paths (`full`). */
  readonly indexing: 'lean' | 'full'
  /**
   * Whether all roles and the submitter run in one process, so that they share the feed and pass steps without
   * it.
   */
  readonly isTogether: boolean
  /** Whether the submitter has a process of its own nevertheless. Default: it has none if `isTogether`. */
  readonly isClientApart?: boolean
  /** The number of physical partitions of the state container. */
  readonly partitions: number
  /** The number of instances of each role. */
  readonly instances: number
  /** Whether the notifier also runs. */
  readonly hasNotifier: boolean
}
