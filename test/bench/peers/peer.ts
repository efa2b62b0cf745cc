/** The input of a job of every system: about 200 bytes. */
export interface Order {
  readonly id: string
  readonly note: string
}

/** A running system. */
export interface RunningPeer {
  /** Runs a job of three steps to its end, and returns the job's id from the result of the last step. */
  readonly run: (order: Order) => Promise<string>
  /** The ids of its processes besides this one. */
  readonly processIds: readonly number[]
  close(): Promise<void>
}

/** A system that runs the same jobs as the others. */
export interface Peer {
  readonly name: string
  /** Returns what must be installed to measure the system, or null if it can be measured. */
  readonly missing: () => string | null
  open(): Promise<RunningPeer>
}

/** The figures of one system in one round. */
export interface PeerFigures {
  readonly perSecond: number
  /** The median time of jobs that run one after another, in milliseconds. */
  readonly p50Ms: number
  /** Processor time a job of all processes, this one included, in milliseconds. */
  readonly processorMs: number
}
