import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import type { Judgement } from '../harness/run/judge.ts'
import { type Catalog, everything, type Job, runJob } from './jobs.ts'
import type { Connect } from './judge.ts'
import { inParallel } from './pool.ts'
import { startThread, type Thread } from './threads.ts'

/** MB for young objects in each thread. Most live for one exchange; with the default of 16 many are copied for nothing. */
const youngMb = 64
/** A thread takes a quarter of a second to start, which fewer jobs do not repay. */
const jobsForThreads = 40

/**
 * Jobs at once in a thread. Over HTTP they wait for the network; in process more than one gain nothing, and what they hold
 * costs the collector time.
 */
const lanesEach = { inProcess: 1, overHttp: 4 } as const

const file = new URL(import.meta.url.endsWith('.ts') ? './crew-thread.ts' : './crew-thread.js', import.meta.url)

/** How jobs are run. */
interface CrewOptions {
  /** Default: the project's own, which every thread knows. */
  readonly catalog?: Catalog | undefined
  /** URL of a module whose `connect` makes the instances; default: they are in process. */
  readonly through?: string | undefined
}

/** Threads that are started when they are needed, and kept until `close`: a new one would compile everything again. */
export interface Crew {
  /**
   * Runs jobs and gives their judgements in the order of the jobs: in one thread for each processor, or in this one if
   * the jobs are few or the catalog is not the project's own.
   */
  run(jobs: readonly Job[], done?: (job: Job) => void): Promise<Judgement[][]>
  close(): Promise<void>
}

export function createCrew({ catalog, through }: CrewOptions): Crew {
  const count = Math.min(availableParallelism(), 8)
  const lanes = through === undefined ? lanesEach.inProcess : lanesEach.overHttp
  let threads: Thread<Job, Judgement[]>[] = []
  return {
    async run(jobs, done = () => {}) {
      if (jobs.length === 0) return []
      const isHere = threads.length === 0 && (catalog !== undefined || jobs.length < jobsForThreads || count === 1)
      if (isHere) {
        const [all, connect] = [catalog ?? everything(), await connectBy(through)]
        return inParallel(jobs, lanes, (job) => runJob(job, all, connect).finally(() => done(job)))
      }
      if (threads.length === 0) threads = startThreads(count, through)
      return inParallel(jobs, threads.length * lanes, async (job, lane) => {
        const judgements = await threads[lane % threads.length]?.ask(job)
        done(job)
        return judgements ?? []
      })
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.end()))
    },
  }
}

function startThreads(count: number, through: string | undefined): Thread<Job, Judgement[]>[] {
  // They start at full size, three semi-spaces; growing costs 5 % of the run. The flag is that of all threads to come.
  setFlagsFromString(`--min-semi-space-size=${Math.floor(youngMb / 3)}`)
  const options = { resourceLimits: { maxYoungGenerationSizeMb: youngMb }, workerData: through }
  return Array.from({ length: count }, () => startThread<Job, Judgement[]>(file, options))
}

/** The maker of instances in a module; none for no module. */
export async function connectBy(through: string | undefined): Promise<Connect | undefined> {
  if (through === undefined) return undefined
  return ((await import(through)) as { readonly connect: Connect }).connect
}
