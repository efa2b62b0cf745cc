/** A page that is about to be delivered to a delegate. */
export interface Delivery {
  readonly processorName: string
  readonly instanceName: string
  readonly leaseToken: string
  readonly count: number
  /** The name of the container whose changes are delivered. Omitted if the monitored source has no name. */
  readonly container?: string
}
