/** Requests that wait until a key of their job is released. */
export function createHolds() {
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
    /** Resolves once the key is released; never if the caller has gone. `keeping` is called while it waits. */
    async wait(job: string, key: string, signal: AbortSignal, keeping: () => () => void): Promise<void> {
      if (isReleased(job, key)) return
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
    release(job: string, key: string) {
      released.add(`${job} ${key}`)
      letGo(job, key)
    },
    /** Executions that ask for the key from now on wait again. */
    holdAgain(job: string, key: string) {
      released.delete(`${job} ${key}`)
    },
    /** Releases every key of a job, later ones included. */
    releaseAll(job: string) {
      released.add(job)
      for (const key of [...(waiting.get(job)?.keys() ?? [])]) letGo(job, key)
    },
  }
}
