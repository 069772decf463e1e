/** How many of the first entries of a list are alike; `isFirst` is true of these and of no later one. O(log n). */
export function countFirst<T>(
  list: { readonly length: number; at(place: number): T | undefined },
  isFirst: (entry: T) => boolean,
): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isFirst(list.at(middle) as T)) low = middle + 1
    else high = middle
  }
  return low
}
