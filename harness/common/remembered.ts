/** Work that is done once for each object, as long as somebody has that object; what it gave must not be changed. */
export function remembered<K extends WeakKey, V>(work: (key: K) => V): (key: K) => V {
  const done = new WeakMap<K, { readonly value: V }>()
  return (key) => {
    const known = done.get(key)
    if (known !== undefined) return known.value
    const value = work(key)
    done.set(key, { value })
    return value
  }
}
