/** Counts and changes the instances of a role: in a fleet on this machine, or in an app of App Service. */
export interface ScaleTarget {
  /** A name for messages, such as `app shop-agents`. */
  readonly name: string
  instances(): Promise<number>
  /** Changes the number of instances, and returns the number that is now requested. */
  scale(count: number): Promise<number>
}
