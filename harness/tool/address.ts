/** Scheme of the addresses of a deployment tool's commands, such as `command:build`. */
export const commandScheme = 'command:'

/** The command in an address, and the endpoint that it names. */
export interface CommandAddress {
  readonly command: string
  readonly name: string | null
}

/** Null for an address over HTTP. */
export function readCommandAddress(url: string): CommandAddress | null {
  if (!url.startsWith(commandScheme)) return null
  const [command = '', name] = url.slice(commandScheme.length).split('/')
  return { command, name: name === undefined ? null : decodeURIComponent(name) }
}
