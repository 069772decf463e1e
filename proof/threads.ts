import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads'

/** How long a thread has to exit before it is terminated, ms. */
const exitMs = 1_000

/** A thread that gives a result to each task. */
export interface Thread<Task, Result> {
  /**
   * Rejects with the error if the thread crashes.
   * @throws ThreadExit if the thread ends without a result.
   */
  ask(task: Task): Promise<Result>
  end(): Promise<void>
}

/** A thread has nothing left to do, although it owes a result. */
export class ThreadExit extends Error {
  override readonly name = 'ThreadExit'

  constructor() {
    super('every rule waits for something that never comes')
  }
}

/** Starts a thread of a module that calls `serveTasks`. */
export function startThread<Task, Result>(file: URL, options: WorkerOptions): Thread<Task, Result> {
  const worker = new Worker(file, options)
  const asked = new Map<number, PromiseWithResolvers<Result>>()
  let count = 0
  let ended: Error | null = null
  function fail(error: Error): void {
    ended ??= error
    for (const { reject } of asked.values()) reject(ended)
    asked.clear()
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new ThreadExit()))
  worker.on('message', ({ n, result }: { readonly n: number; readonly result: Result }) => {
    asked.get(n)?.resolve(result)
    asked.delete(n)
  })
  return {
    ask(task) {
      if (ended !== null) return Promise.reject(ended)
      const result = Promise.withResolvers<Result>()
      asked.set(++count, result)
      worker.postMessage({ n: count, task })
      return result.promise
    },
    /** Lets the thread exit by itself: Node may abort the whole process if it is terminated while it begins to compress. */
    async end() {
      if (ended === null) {
        worker.postMessage(null)
        await Promise.race([once(worker, 'exit').catch(() => {}), sleep(exitMs, undefined, { ref: false })])
      }
      await worker.terminate()
    },
  }
}

/** In a thread: gives a result to each task, until it is told to end. */
export function serveTasks<Task, Result>(work: (task: Task) => Promise<Result>): void {
  const port = parentPort
  if (port === null) throw new Error('this module runs in a worker thread only')
  let open = 0
  port.on('message', async (message: { readonly n: number; readonly task: Task } | null) => {
    if (message === null) return port.close()
    open++
    // If every rule waits forever, nothing else keeps the thread alive, and it exits.
    port.unref()
    const result = await work(message.task)
    if (--open === 0) port.ref()
    port.postMessage({ n: message.n, result })
  })
}
