/** The area of a rule: the first part of its id. */
export function areaOf(id: string): string {
  return id.split('.', 1)[0] ?? id
}

/** `pods 12, queue 3`: how many of these rules are in each area, in the order of their first rule. */
export function areaCounts(ids: readonly string[]): string {
  return [...Map.groupBy(ids, areaOf)].map(([area, { length }]) => `${area} ${length}`).join(', ')
}
