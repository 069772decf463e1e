import { workerData } from 'node:worker_threads'
import { connectBy } from './crew.ts'
import { everything, type Job, runJob } from './jobs.ts'
import { serveTasks } from './threads.ts'

// One thread of the proof: it judges what it is sent and shares nothing with the others.

const catalog = everything()
const connect = await connectBy(workerData as string | undefined)

serveTasks((job: Job) => runJob(job, catalog, connect))
