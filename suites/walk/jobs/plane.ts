import type { WalkPlane } from '../walk.ts'
import type { JobsModel } from './model.ts'
import { type JobStep, jobSteps } from './steps.ts'
import { createJobWalker } from './walker.ts'

/** Steps of a walk. */
const maxSteps = 30

/** Walks on jobs that the conformance worker executes. */
export const jobWalks: WalkPlane<JobStep, JobsModel> = {
  name: 'queue',
  rule: 'queue.walk',
  drawn: 60,
  stepsOn: ({ offers }) =>
    jobSteps({ maxNormal: 1, hasDedicated: offers('endpoint.dedicated'), canStream: offers('stream') }),
  startOf: () => (context, calls) => {
    const model: JobsModel = { jobs: [], left: maxSteps, waitsLeft: 2, purgesLeft: 2 }
    const walker = createJobWalker(context, calls)
    return {
      model,
      async begin() {},
      takeStep: walker.takeStep,
      end: () => walker.end(model),
      remove: (outcomeOf) => walker.remove(model, outcomeOf),
    }
  },
}
