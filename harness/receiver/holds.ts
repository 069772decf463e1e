/** Requests that wait until a key of their job is released. */
export interface Holds {
  isReleased(job: string, key: string): boolean
  /** Resolves once the key is released; never if the caller has gone. `keeping` is called while it waits. */
  wait(job: string, key: string, signal: AbortSignal, keeping: () => () => void): Promise<void>
  release(job: string, key: string): void
  /** Releases every key of a job, later ones included. */
  releaseAll(job: string): void
}

export function createHolds(): Holds {
  const released = new Set<string>()
  const waiting = new Map<string, Map<string, Set<() => void>>>()

  function letGo(job: string, key: string): void {
    const ends = waiting.get(job)?.get(key)
    waiting.get(job)?.delete(key)
    for (const end of ends ?? []) end()
  }

  const isReleased = (job: string, key: string) => released.has(job) || released.has(`${job} ${key}`)
  return {
    isReleased,
    wait(job, key, signal, keeping) {
      if (isReleased(job, key)) return Promise.resolve()
      const end = keeping()
      return new Promise((resolve) => {
        const keys = waiting.get(job) ?? new Map<string, Set<() => void>>()
        const ends = keys.get(key) ?? new Set()
        waiting.set(job, keys.set(key, ends))
        const goOn = () => {
          end()
          resolve()
        }
        ends.add(goOn)
        signal.addEventListener('abort', () => {
          ends.delete(goOn)
          end()
        })
      })
    },
    release(job, key) {
      released.add(`${job} ${key}`)
      letGo(job, key)
    },
    releaseAll(job) {
      released.add(job)
      for (const key of [...(waiting.get(job)?.keys() ?? [])]) letGo(job, key)
    },
  }
}
