/** Returns a suggested command for the same store. An account is usually named by the environment, a data directory is not. */
export function forSameStore(command: string, { data }: { readonly data?: string }): string {
  if (data === undefined) return command
  const isWord = /^[\w./:\\-]+$/u.test(data)
  return `${command} --data ${isWord ? data : JSON.stringify(data)}`
}
