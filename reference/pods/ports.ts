/** A port of a container and its protocol, from an entry such as `8888/http`. */
export function readPort(entry: string): { readonly number: number; readonly protocol: string } {
  const slash = entry.indexOf('/')
  return { number: Number(entry.slice(0, slash)), protocol: entry.slice(slash + 1) }
}
