/** The master key that every Cosmos DB emulator has. The key is public, and tools for Cosmos DB know it. */
export const wellKnownKey =
  'C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=='
