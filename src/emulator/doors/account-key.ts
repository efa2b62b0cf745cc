/** The master key that every Cosmos DB emulator has. The key is public, and tools for Cosmos DB know it. */
export const wellKnownKey =
  'C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=='

/** The rule for an account's key, in words. Every client decodes such a key to the same bytes. */
export const accountKeyRule =
  'base64 in whole groups of four characters, as "openssl rand -base64 48" prints it'

export function isAccountKey(key: string): boolean {
  return /^(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u.test(key)
}
