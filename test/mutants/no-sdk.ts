/**
 * Replaces `@azure/cosmos` in tests of decisions about jobs, because loading the SDK takes longer than these
 * tests.
 */
export {}
