import { setImmediate as nextTurn } from 'node:timers/promises'
import { createConformanceWorker } from '../../worker/conformance.ts'
import type { ReferenceOptions } from '../index.ts'
import { createBench, type Heard, type Sent } from './bench.ts'
import { createReceiver } from './receiver.ts'

export type Steps = readonly object[]

/** More turns of the event loop than anything here takes to come to rest. */
const LONGEST_REST = 1000

/** A reference with a receiver, and short words for jobs. Time moves only when nothing but held calls is under way. */
export function createQueueBench(options: Partial<ReferenceOptions> = {}) {
  const receiver = createReceiver(() => bench.controlled.clock.now())
  const pauses: number[] = []
  const worker = createConformanceWorker({
    pause: async (ms) => {
      pauses.push(ms)
      await nextTurn()
    },
  })
  const bench = createBench({ call: receiver.call, worker, ...options })
  const { call, controlled } = bench
  let jobs = 0

  /** Waits until all that is under way waits for the clock or is held by the receiver. */
  async function rest(): Promise<void> {
    for (let turn = 0; turn < LONGEST_REST; turn++) {
      await nextTurn()
      await nextTurn()
      const { busy, nextMs, nowMs } = controlled.state()
      if (!busy.every((id) => receiver.holding.has(id))) continue
      if (nextMs !== null && nextMs <= nowMs) controlled.advance(0)
      else return
    }
    throw new Error(`no rest: ${controlled.state().busy.join(', ')} are busy`)
  }

  async function pass(ms: number): Promise<void> {
    const untilMs = controlled.clock.now() + ms
    await rest()
    while (controlled.clock.now() < untilMs) {
      controlled.advance(untilMs - controlled.clock.now())
      await rest()
    }
  }

  const operate = (method: string, path: string, sent?: Sent, endpoint = 'dedicated'): Promise<Heard> =>
    call(method, `/v2/${endpoint}/${path}`, sent)

  /** A submission of a job with a beacon of its own. */
  function plan(steps: Steps, more: object = {}) {
    const beacon = `/job-${jobs++}`
    return {
      beacon,
      body: { input: { plumbline: { v: 1, beacon: `https://receiver.test${beacon}`, steps } }, ...more },
    }
  }

  async function submit(steps: Steps, more: object = {}, endpoint = 'dedicated') {
    const { beacon, body } = plan(steps, more)
    const { body: answer } = await operate('POST', 'run', { body }, endpoint)
    await rest()
    const id = String(answer?.id)
    return {
      id,
      beacon,
      status: async () => (await operate('GET', `status/${id}`, {}, endpoint)).body,
      starts: () => receiver.at(`${beacon}/start`),
      ends: () => receiver.at(`${beacon}/end`),
      async release(key: string) {
        receiver.release(`${beacon}/hold/${key}`)
        await rest()
      },
      act: async (action: string) => {
        const answer = await operate('POST', `${action}/${id}`, {}, endpoint)
        await rest()
        return answer
      },
    }
  }

  return { ...bench, operate, pass, pauses, plan, receiver, rest, submit }
}
