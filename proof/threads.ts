import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads'

/** How long a thread has to exit before it is terminated, ms. */
const exitMs = 1_000

/** A thread that gives a reply to each order. */
export interface Thread<Order, Reply> {
  /**
   * Rejects with the error if the thread crashes.
   * @throws ThreadExit if the thread ends without a reply.
   */
  ask(order: Order): Promise<Reply>
  end(): Promise<void>
}

/** A thread has nothing left to do, although it owes a reply. */
export class ThreadExit extends Error {
  override readonly name = 'ThreadExit'

  constructor() {
    super('every rule waits for something that never comes')
  }
}

/** Starts a thread of a module that calls `replyWith`. */
export function startThread<Order, Reply>(file: URL, options: WorkerOptions): Thread<Order, Reply> {
  const worker = new Worker(file, options)
  const asked = new Map<number, PromiseWithResolvers<Reply>>()
  let count = 0
  let ended: Error | null = null
  function fail(error: Error): void {
    ended ??= error
    for (const { reject } of asked.values()) reject(ended)
    asked.clear()
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new ThreadExit()))
  worker.on('message', ({ n, reply }: { readonly n: number; readonly reply: Reply }) => {
    asked.get(n)?.resolve(reply)
    asked.delete(n)
  })
  return {
    ask(order) {
      if (ended !== null) return Promise.reject(ended)
      const answer = Promise.withResolvers<Reply>()
      asked.set(++count, answer)
      worker.postMessage({ n: count, order })
      return answer.promise
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

/** In a thread: gives a reply to each order, until it is told to end. */
export function replyWith<Order, Reply>(work: (order: Order) => Promise<Reply>): void {
  const port = parentPort
  if (port === null) throw new Error('this module runs in a worker thread only')
  let open = 0
  port.on('message', async (message: { readonly n: number; readonly order: Order } | null) => {
    if (message === null) return port.close()
    open++
    // If every rule waits forever, nothing else keeps the thread alive, and it exits.
    port.unref()
    const reply = await work(message.order)
    if (--open === 0) port.ref()
    port.postMessage({ n: message.n, reply })
  })
}
