import { randomBytes } from 'node:crypto'

/** The id of a run: `r` and ten characters of base 36. */
export function newRunId(): string {
  let number = BigInt(`0x${randomBytes(8).toString('hex')}`) % 36n ** 10n
  let text = ''
  for (let place = 0; place < 10; place++, number /= 36n) text = Number(number % 36n).toString(36) + text
  return `r${text}`
}
