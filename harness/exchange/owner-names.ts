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

/** The work of owners that are not rules, as users read it; `of` is the rest of the name. */
const works: Readonly<Record<Exclude<OwnerKind, 'traffic'>, (of: string) => string>> = {
  fixture: (of) => `making ${of} for several rules`,
  cleanup: (of) => `removing what ${ruleOrFixture(of)} created`,
  sweep: () => 'removing what is left of the run',
  probe: () => 'looking at the target before the rules begin',
  pacing: () => 'asking how much of a quota is left',
  connection: (of) => `trying the connection that ${ruleOrFixture(of.replace(/:\d+$/, ''))} used`,
  key: () => 'asking whether the key is still accepted',
}

/** An owner as users read it: a rule by its id, any other by what it does. */
export function ownerText(owner: string): string {
  const [kind = '', ...of] = owner.split(':')
  return kind in works ? works[kind as keyof typeof works](of.join(':')) : owner
}

function ruleOrFixture(owner: string): string {
  if (owner === '') return 'the run'
  return isRule(owner) ? owner : 'a shared fixture'
}
