type Members = Readonly<Record<string, unknown>>

/** The document that a JSON merge patch (RFC 7396) makes of another one; a member that is null in the patch is removed. */
export function applyMergePatch(document: Members, patch: Members): Members {
  const kept = Object.entries(document).filter(([key]) => patch[key] !== null)
  const set = Object.entries(patch).filter(([, value]) => value !== null)
  const merged = set.map(([key, value]) => {
    const before = document[key]
    return [key, isMapping(value) ? applyMergePatch(isMapping(before) ? before : {}, value) : value] as const
  })
  return Object.fromEntries([...kept, ...merged])
}

/** True if a merge patch merges the value instead of replacing it. */
export function isMapping(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
