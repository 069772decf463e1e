import { Refusal } from '../http/refusal.ts'
import type { Style } from '../style.ts'

const HIGHEST_PORT = 65_535

/** A port of a container and its protocol, from an entry such as `8888/http`. */
export function readPort(entry: string): { readonly number: number; readonly protocol: string } {
  const slash = entry.indexOf('/')
  return { number: Number(entry.slice(0, slash)), protocol: entry.slice(slash + 1) }
}

/** @throws Refusal where a port is 0 or beyond 65535. */
export function checkPorts(ports: readonly string[], style: Style): void {
  const wrong = ports.findIndex((entry) => {
    const { number } = readPort(entry)
    return number < 1 || number > HIGHEST_PORT
  })
  if (wrong === -1) return
  const detail = `a port is a number from 1 to ${HIGHEST_PORT}`
  throw new Refusal(style.portRange, detail, { errors: [`$.ports[${wrong}]: ${detail}`] })
}
