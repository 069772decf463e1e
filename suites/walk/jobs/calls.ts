import type { PlannedJob } from '../../../harness/planes/queue/fixtures/types.ts'
import { encoded } from '../../fuzz/mutators/types.ts'
import { letterOf } from '../after.ts'
import type { WalkCall } from '../walk.ts'
import type { JobModel, JobsModel } from './model.ts'
import { type JobStep, jobOf } from './steps.ts'

/** A wait after which every ttl and time limit is over, s. */
export const waitSeconds = 25
/** The address of the receiver in the bodies that are kept. */
const receiverMark = '«RECEIVER»'

/** Submissions that are refused. */
const wrongBodies = ['{}', '[]', '{"input":1}', '{"input":[]}', '{"policy":{}}', '{'].map(encoded)

const operations = { cancel: 'cancelJob', retry: 'retryJob', stream: 'streamJob', release: 'release' } as const

/** The request of a step; the body of a submission that is accepted comes later. */
export function requestOf(step: JobStep, model: JobsModel): Omit<WalkCall, 'said'> {
  switch (step.does) {
    case 'submit':
      return {
        operation: 'runJob',
        job: letterOf(model.jobs.length),
        endpoint: step.isDedicated ? 'dedicated' : 'normal',
      }
    case 'purge':
      return { operation: 'purgeQueue', endpoint: 'dedicated' }
    case 'refused':
      return { operation: 'runJob', endpoint: 'normal', bytes: wrongBody(step.at) }
    case 'wait':
      return { operation: 'wait', seconds: waitSeconds }
  }
  const one = jobOf(step, model)
  if (one === undefined) throw new Error('a step is about a job that the walk has not submitted')
  return callOn(one, step.does)
}

export function callOn({ isDedicated, letter }: JobModel, does: keyof typeof operations): Omit<WalkCall, 'said'> {
  return { operation: operations[does], job: letter, endpoint: isDedicated ? 'dedicated' : 'normal' }
}

export function wrongBody(at: number): Uint8Array {
  return wrongBodies[at % wrongBodies.length] ?? encoded('{')
}

/** The body of a submission, with the receiver of the shell lines in place of that of the run. */
export function withoutReceiver(job: PlannedJob, letter: string): string {
  const text = JSON.stringify(job.body).replace(job.beacon.url, `${receiverMark}/${letter}`)
  return 'webhook' in job.body ? text.replace(job.webhook.url, `${receiverMark}/${letter}/webhook`) : text
}
