import { parentPort } from 'node:worker_threads'
import type { Delivery, Order } from './crew.ts'
import { everything, runJob } from './jobs.ts'

// One thread of the proof: it judges what it is sent and shares nothing with the others.

const catalog = everything()

parentPort?.on('message', async ({ n, job }: Order) => {
  parentPort?.postMessage({ n, judgements: await runJob(job, catalog) } satisfies Delivery)
})
