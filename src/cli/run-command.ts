/**
 * Waits for a command, and sets the exit code of the process to its result. With `endsNow`, the process then ends, even
 * if work is still under way.
 */
export type RunCommand = (run: Promise<number>, how?: { readonly endsNow: boolean }) => Promise<void>
