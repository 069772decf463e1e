/** Kinds of owners other than rules. */
const kinds = ['fixture', 'cleanup', 'sweep', 'probe', 'pacing', 'connection', 'key', 'traffic'] as const
type OwnerKind = (typeof kinds)[number]

/** The name of an owner that is not a rule, such as `fixture:an EXITED GPU pod` or `pacing:3`. */
export function ownerName(kind: OwnerKind, of: string | number = ''): string {
  return of === '' ? kind : `${kind}:${of}`
}

/** True if an owner is of one of these kinds. */
export function isOwnerOf(owner: string, ...wanted: readonly OwnerKind[]): boolean {
  return wanted.some((kind) => owner === kind || owner.startsWith(`${kind}:`))
}

/** True if an owner is a rule. */
export function isRule(owner: string): boolean {
  return !isOwnerOf(owner, ...kinds)
}

/** An owner as users read it: a rule by its id, a shared fixture and a cleanup by what they do. */
export function ownerText(owner: string): string {
  const [, kind, of = ''] = /^(fixture|cleanup):(.*)$/.exec(owner) ?? []
  if (kind === undefined) return owner
  if (kind === 'fixture') return `making ${of} for several rules`
  return `removing what ${isRule(of) ? of : 'a shared fixture'} created`
}
