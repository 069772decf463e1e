import { Refusal } from '../http/refusal.ts'
import type { BalancedEndpoint, BalancedService, BalancedWorker } from './service.ts'

/**
 * The worker that gets the next request: those that are ready take turns. One that is missing is started.
 * @throws Refusal if none is ready in time.
 */
export async function takeBalanced(endpoint: BalancedEndpoint, service: BalancedService): Promise<BalancedWorker> {
  const { balanced, clock, life, style } = service
  while (endpoint.running.size < endpoint.workers) start(endpoint, service)
  const found = nextReady(endpoint)
  if (found !== null) return found
  if (style.noWorker !== 'wait') throw new Refusal(style.noWorker, 'no worker is ready')
  const { promise, resolve } = Promise.withResolvers<BalancedWorker | null>()
  const look = () => {
    const ready = nextReady(endpoint)
    if (ready !== null) resolve(ready)
  }
  endpoint.waiting.add(look)
  const cancel = clock.schedule(clock.now() + life.balancedWaitMs, () => resolve(null))
  balanced.pending.add(cancel)
  const worker = await promise
  cancel()
  balanced.pending.delete(cancel)
  endpoint.waiting.delete(look)
  if (worker === null) throw new Refusal(500, 'no worker became ready in time')
  return worker
}

/** True once a worker has answered 200 to a ping. */
export async function isWorkerReady({ server }: BalancedWorker, _service: BalancedService): Promise<boolean> {
  const response = await server?.fetch(new Request('http://worker/ping'))
  await response?.arrayBuffer()
  return response?.status === 200
}

/** Takes a worker out of its endpoint. */
export function dropWorker(worker: BalancedWorker, { running }: BalancedEndpoint): void {
  worker.isReady = false
  running.delete(worker)
  worker.server?.stop()
}

function nextReady(endpoint: BalancedEndpoint): BalancedWorker | null {
  const ready = [...endpoint.running].filter(({ isReady }) => isReady)
  return ready[endpoint.turn++ % ready.length] ?? null
}

function start(endpoint: BalancedEndpoint, service: BalancedService): void {
  const { balanced, life } = service
  const worker: BalancedWorker = { id: `balanced-${balanced.next()}`, isReady: false, server: null }
  endpoint.running.add(worker)
  later(life.balancedStartMs, service, worker, async () => {
    const { call } = service.queue
    worker.server = await balanced.program.start({ endpoint: endpoint.id, worker: worker.id, call })
    void worker.server.ended.then(() => dropWorker(worker, endpoint))
    await ping(worker, endpoint, service)
  })
}

async function ping(worker: BalancedWorker, endpoint: BalancedEndpoint, service: BalancedService): Promise<void> {
  if (!endpoint.running.has(worker)) return
  if (!(await service.parts.isWorkerReady(worker, service))) {
    return later(service.life.pingMs, service, worker, () => ping(worker, endpoint, service))
  }
  worker.isReady = true
  for (const look of [...endpoint.waiting]) look()
}

/** Runs something after `ms` and lists it as busy. A worker for which it fails leaves its endpoint. */
function later(ms: number, service: BalancedService, worker: BalancedWorker, run: () => Promise<void>): void {
  const { balanced, clock } = service
  const begin = () => {
    balanced.pending.delete(cancel)
    if (balanced.isClosed) return
    const running = run().catch(() => {
      for (const endpoint of balanced.endpoints.values()) dropWorker(worker, endpoint)
    })
    clock.track?.(worker.id, running)
  }
  const cancel = ms > 0 ? clock.schedule(clock.now() + ms, begin) : () => {}
  if (ms > 0) balanced.pending.add(cancel)
  else begin()
}
