/** Does work once for each object, as long as the object is in use. Callers must not change the result. */
export function memoize<K extends WeakKey, V>(work: (key: K) => V): (key: K) => V {
  const done = new WeakMap<K, { readonly value: V }>()
  // Most are requested many times in a row, and this is much faster than the map.
  let last: { readonly key: K; readonly value: V } | null = null
  return (key) => {
    if (last?.key === key) return last.value
    const value = done.get(key)?.value ?? fresh(key)
    last = { key, value }
    return value
  }

  function fresh(key: K): V {
    const value = work(key)
    done.set(key, { value })
    return value
  }
}

/** Does work once for each text and keeps at most `kept` results. Callers must not change the result. */
export function memoizeTexts<V>(work: (text: string) => V, kept: number): (text: string) => V {
  const done = new Map<string, V>()
  return (text) => {
    const known = done.get(text)
    if (known !== undefined) return known
    if (done.size >= kept) done.clear()
    const value = work(text)
    done.set(text, value)
    return value
  }
}
