/**
 * The uncertainty at the edges of a window, ms: servers keep whole milliseconds (2 of them, one at
 * each edge), and two clocks drift apart by less than a thousandth.
 */
export function clockSlackMs(windowMs: number): number {
  return 2 + windowMs / 1000
}

/**
 * How far a client that means to keep an even pace may bunch its requests before a refusal is its own fault: the
 * requests at once that every limiter must take, as a share of the limit, and never fewer than two.
 */
export function evenPaceSlack(requests: number): number {
  return Math.max(2, requests * 0.05)
}
