/** Scheme of the addresses of a deployment tool's commands, such as `command:build`. */
export const commandScheme = 'command:'

/** The command in an address, and the endpoint that it names. */
export interface CommandAddress {
  readonly command: string
  readonly name: string | null
}

/** `deploy.remove NAME`: a command as messages name it, by its key in the target file. */
export function commandText({ command, name }: CommandAddress): string {
  return `deploy.${command}${name === null ? '' : ` ${name}`}`
}

/** Null for an address over HTTP. */
export function readCommandAddress(url: string): CommandAddress | null {
  if (!url.startsWith(commandScheme)) return null
  const [command = '', name] = url.slice(commandScheme.length).split('/')
  return { command, name: name === undefined ? null : decodeURIComponent(name) }
}
