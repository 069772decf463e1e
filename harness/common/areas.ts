/** Up to so many rules are named in one line. */
export const namedRules = 5

/** The area of a rule: the first part of its id. */
export function areaOf(id: string): string {
  return id.split('.', 1)[0] ?? id
}

/** The area and subject of a rule, `pods.action`; the area alone if its id has no subject. */
export function subjectOf(id: string): string {
  const parts = id.split('.')
  return parts.length > 2 ? parts.slice(0, 2).join('.') : areaOf(id)
}

/** `pods 12, queue 3`: how many of these rules are in each area, in the order of their first rule. */
export function areaCounts(ids: readonly string[]): string {
  return [...Map.groupBy(ids, areaOf)].map(([area, { length }]) => `${area} ${length}`).join(', ')
}
