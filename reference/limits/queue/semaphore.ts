/** Requests that are under way at once. */
export interface Semaphore {
  isFull(): boolean
  /** Takes a place and returns what gives it back; a second call of that does nothing. */
  enter(): () => void
}

/** @param places how many there are; null: no bound. */
export function createSemaphore(places: number | null): Semaphore {
  let taken = 0
  return {
    isFull: () => places !== null && taken >= places,
    enter() {
      taken++
      let isInside = true
      return () => {
        if (isInside) taken--
        isInside = false
      }
    },
  }
}
