/** `pods 12, queue 3`: how many of these rules are in each area, in the order of their first rule. */
export function areaCounts(ids: readonly string[]): string {
  const areas = Map.groupBy(ids, (id) => id.split('.', 1)[0])
  return [...areas].map(([area, { length }]) => `${area} ${length}`).join(', ')
}
