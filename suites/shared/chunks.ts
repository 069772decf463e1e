/** Sends the body of a request in chunks, without its length (RFC 9112, 7.1). */
export const inChunks = { headers: [['Transfer-Encoding', 'chunked']] } as const

/** True if a server takes no body without its length, which it may refuse (RFC 9112, 6.1 and 6.3). */
export function needsLength({ status }: { readonly status: number }): boolean {
  return status === 411 || status === 501
}
