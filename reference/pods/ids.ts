const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567'
const HALF = 2 ** 30
const ROUNDS = 4

/**
 * Opaque identifiers such as `pod-k3v…` (12 letters): the same for the same seed and number, and never the same for
 * two numbers of one seed, because the number is only scrambled (a Feistel network over 60 bits).
 */
export function createIds(seed: string): (n: number) => string {
  const words = createWords(seed)
  return (n) => `pod-${words(n)}`
}

/** Words of 12 letters, no two alike for one seed. */
export function createWords(seed: string): (n: number) => string {
  const keys = Array.from({ length: ROUNDS }, (_, round) => hash(`${seed}/${round}`))
  return (n) => {
    let left = Math.floor(n / HALF) % HALF
    let right = n % HALF
    for (const key of keys) [left, right] = [right, left ^ (mix(right ^ key) % HALF)]
    return `${spell(left)}${spell(right)}`
  }
}

function spell(half: number): string {
  let text = ''
  for (let shift = 0; shift < 30; shift += 5) text += LETTERS.charAt((half >>> shift) & 31)
  return text
}

function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = mix(value ^ text.charCodeAt(at))
  return value
}

/** Spreads every bit of a 32-bit number over all of them. */
function mix(value: number): number {
  let mixed = value >>> 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
