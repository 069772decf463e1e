/** Kinds of owners other than rules. */
const kinds = ['fixture', 'cleanup', 'sweep', 'probe', 'pacing', 'connection', 'key', 'traffic'] as const
type OwnerKind = (typeof kinds)[number]

/** The name of an owner that is not a rule, such as `fixture:pod.exited` or `pacing:3`. */
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

/** An owner as users read it: a rule by its id, a shared fixture by what it makes. */
export function ownerText(owner: string): string {
  const [, kind, of = ''] = /^(fixture|cleanup):(.*)$/.exec(owner) ?? []
  if (kind === undefined) return owner
  return kind === 'fixture' ? `making ${of} for several rules` : `removing what ${ownerText(of)} created`
}
