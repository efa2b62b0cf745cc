/** Returns the monotonic time until which a lease written at `writtenAtMs` certainly has no other owner. */
export function trustedUntilMs(writtenAtMs: number, expirationMs: number, marginMs: number): number {
  return writtenAtMs + expirationMs - marginMs
}
