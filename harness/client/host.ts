/** Scheme, name and port of an address. */
export function hostOf(url: string): string {
  return /^\w+:\/*[^/]*/.exec(url)?.[0] ?? ''
}
