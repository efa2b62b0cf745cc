/** How many notices were given up, in words. */
export function undeliveredText(count: number): string {
  return count === 1 ? '1 notice was not delivered' : `${count} notices were not delivered`
}
