/**
 * Runs `work` for each item, at most `limit` beside each other, and gives the results in the order of the items. `lane` is a
 * number below `limit`, which no other item under work has.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, lane: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length)
  const queue = items.entries()
  async function run(lane: number): Promise<void> {
    for (const [place, item] of queue) results[place] = await work(item, lane)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, (_, lane) => run(lane)))
  return results
}
