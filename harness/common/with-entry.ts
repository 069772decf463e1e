/**
 * The map with an entry, as the next state of an invariant. Copying thousands of entries at each exchange is slow, so the map
 * itself is changed, and must not be used again; only an empty one is copied, because it may be the initial state.
 */
export function withEntry<V>(map: ReadonlyMap<string, V>, key: string, value: V): ReadonlyMap<string, V> {
  return map.size === 0 ? new Map([[key, value]]) : (map as Map<string, V>).set(key, value)
}
