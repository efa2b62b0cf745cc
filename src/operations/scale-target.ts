/** Where instances of a role are counted and changed: a fleet on this machine, or an app of App Service. */
export interface ScaleTarget {
  /** For messages, such as `app shop-agents`. */
  readonly name: string
  instances(): Promise<number>
  /** Answers how many there are to be now. */
  scale(count: number): Promise<number>
}
