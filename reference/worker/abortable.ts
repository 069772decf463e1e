/** An execution that shall stop, and does. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}

/**
 * The promise, or a rejection with Stopped as soon as the signal is aborted, even where the promise never settles.
 * @param signal null for one that is not heeded.
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | null): Promise<T> {
  if (signal === null) return promise
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Stopped('stopped'))
    const end = () => signal.removeEventListener('abort', stop)
    promise.then(
      (value) => {
        end()
        resolve(value)
      },
      (reason: unknown) => {
        end()
        reject(signal.aborted ? new Stopped('stopped') : reason)
      },
    )
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}
