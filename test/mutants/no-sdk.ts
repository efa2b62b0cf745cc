/** Stands for `@azure/cosmos` in tests of what decides on jobs: loading it takes longer than they do. */
export {}
