import { parentPort, workerData } from 'node:worker_threads'
import { connectBy, type Delivery, type Order } from './crew.ts'
import { everything, runJob } from './jobs.ts'

// One thread of the proof: it judges what it is sent and shares nothing with the others.

const catalog = everything()
const connect = await connectBy(workerData as string | undefined)

parentPort?.on('message', async ({ n, job }: Order) => {
  parentPort?.postMessage({ n, judgements: await runJob(job, catalog, connect) } satisfies Delivery)
})
