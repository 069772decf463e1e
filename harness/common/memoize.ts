/** Does work at the first call, and returns its result at every other. */
export function once<V>(work: () => V): () => V {
  let done: { readonly value: V } | undefined
  return () => {
    done ??= { value: work() }
    return done.value
  }
}

/** Does work once for each object, as long as the object is in use. Callers must not change the result. */
export function memoize<K extends WeakKey, V>(work: (key: K) => V): (key: K) => V {
  const done = new WeakMap<K, { readonly value: V }>()
  return (key) => {
    const known = done.get(key)
    if (known !== undefined) return known.value
    const value = work(key)
    done.set(key, { value })
    return value
  }
}

/**
 * Does work once for each text and keeps at most `kept` results, of texts that have at most `longest` characters. Callers
 * must not change the result.
 */
export function memoizeTexts<V>(work: (text: string) => V, kept: number, longest?: number): (text: string) => V {
  const done = new Map<string, V>()
  return (text) => {
    if (longest !== undefined && text.length > longest) return work(text)
    const known = done.get(text)
    if (known !== undefined) return known
    if (done.size >= kept) done.clear()
    const value = work(text)
    done.set(text, value)
    return value
  }
}
