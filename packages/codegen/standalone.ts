/** The text of a module out of parts, with the `require` that compiled validators call. */
export function moduleOf(...parts: readonly string[]): string {
  return [
    "import { createRequire } from 'node:module'",
    'const require = createRequire(import.meta.url)',
    ...parts,
  ].join('\n\n')
}

/** Compiled validators as constants of the module: what it exports is typed by hand. */
export function withoutExports(code: string): string {
  return code.replace(/^"use strict";/, '').replaceAll(/export const (validate\w*)/g, 'const $1')
}
