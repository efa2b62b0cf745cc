/** Waits for a command, and sets the exit code of the process to its result. */
export type RunCommand = (run: Promise<number>) => Promise<void>
