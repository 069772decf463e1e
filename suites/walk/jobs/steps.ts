import fc from 'fast-check'
import { letterOf } from '../after.ts'
import type { StepKinds } from '../commands.ts'
import { isUnfinished, type JobKind, type JobModel, type JobsModel, jobKinds } from './model.ts'

/** One call of a walk, or a wait. `job`: the place of its job among those of the walk, counted around. */
export type JobStep =
  | { readonly does: 'submit'; readonly kind: JobKind; readonly isDedicated: boolean; readonly isNotified: boolean }
  | { readonly does: 'release' | 'cancel' | 'retry' | 'stream'; readonly job: number }
  | { readonly does: 'purge' | 'wait' }
  | { readonly does: 'refused'; readonly at: number }

/** The things that a walk may do on a target. */
interface JobWorld {
  /** Jobs at once on the normal endpoint. */
  readonly maxNormal: number
  /** True if there is an endpoint that may be purged, and whose workers may die. */
  readonly hasDedicated: boolean
  readonly canStream: boolean
}

/** Jobs at once on the dedicated endpoint: more than a small one has workers. */
const maxDedicated = 4

/** Jobs of a walk. */
const maxJobs = 12

/** Most steps are about the latest job: a long history shows more bugs. */
const job = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(maxJobs - 1) })

const anyJobStep: fc.Arbitrary<JobStep> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('submit' as const),
      kind: fc.constantFrom(...jobKinds),
      isDedicated: fc.boolean(),
      isNotified: fc.boolean(),
    }),
  },
  ...(['release', 'cancel', 'retry', 'stream'] as const).map((does) => ({
    weight: { release: 3, cancel: 2, retry: 8, stream: 3 }[does],
    arbitrary: fc.record({ does: fc.constant(does), job }),
  })),
  { weight: 1, arbitrary: fc.record({ does: fc.constant('refused' as const), at: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.constant({ does: 'purge' as const }) },
  { weight: 1, arbitrary: fc.constant({ does: 'wait' as const }) },
)

/** The steps of a walk on jobs, and those of them that make sense in a state. */
export function jobSteps({ canStream, hasDedicated, maxNormal }: JobWorld): StepKinds<JobStep, JobsModel> {
  return {
    anyStep: anyJobStep,
    isPossible(step, model) {
      const { jobs } = model
      switch (step.does) {
        case 'submit': {
          if (jobs.length >= maxJobs || (step.isDedicated && !hasDedicated)) return false
          if (step.kind === 'dies once' && !step.isDedicated) return false
          const busy = jobs.filter((one) => one.isDedicated === step.isDedicated && isUnfinished(one)).length
          return busy < (step.isDedicated ? maxDedicated : maxNormal)
        }
        case 'purge':
          return model.purgesLeft > 0 && jobs.some((one) => one.isDedicated && isUnfinished(one))
        case 'wait':
          return jobs.length > 0 && model.waitsLeft > 0
        // Other rules judge it where there is no job.
        case 'refused':
          return jobs.length > 0
      }
      const one = jobOf(step, model)
      if (one === undefined) return false
      if (step.does === 'release') return isUnfinished(one) && !one.isReleased
      if (step.does === 'retry') return one.phase === 'failed'
      const mayExist = one.phase !== 'gone' && one.phase !== 'stopped'
      return mayExist && (step.does === 'cancel' || canStream)
    },
  }
}

/** The job that a step is about, counted from the latest. */
export function jobOf(step: { readonly job: number }, { jobs }: Pick<JobsModel, 'jobs'>): JobModel | undefined {
  return jobs.at(-1 - (step.job % Math.max(1, jobs.length)))
}

/** A step in a few words: `A: retry`. */
export function jobStepText(step: JobStep, model: Pick<JobsModel, 'jobs'>): string {
  if ('job' in step) return `${jobOf(step, model)?.letter}: ${step.does}`
  if (step.does !== 'submit') return step.does === 'refused' ? 'a wrong submission' : step.does
  const letter = letterOf(model.jobs.length)
  return `submit ${letter} (${step.kind})${step.isDedicated ? ' to the dedicated endpoint' : ''}`
}
