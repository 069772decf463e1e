/** Runs `work` for each item, at most `limit` beside each other, and gives the results in the order of the items. */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, place: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length)
  const queue = items.entries()
  async function lane(): Promise<void> {
    for (const [place, item] of queue) results[place] = await work(item, place)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane))
  return results
}
