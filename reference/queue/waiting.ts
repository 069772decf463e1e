import type { Job, WaitingJobs } from './model.ts'

/** A list that is linked through the jobs themselves, so that one in the middle leaves as cheaply as the first. */
export function createWaitingJobs(): WaitingJobs {
  let head: Job | null = null
  let tail: Job | null = null
  let size = 0
  let scaling = 0

  const link = (job: Job, before: Job | null, after: Job | null): void => {
    job.before = before
    job.after = after
    if (before === null) head = job
    else before.after = job
    if (after === null) tail = job
    else after.before = job
    size++
    if (job.isScaling) scaling++
  }

  return {
    get size() {
      return size
    },
    get scaling() {
      return scaling
    },
    first: () => head,
    addLast: (job) => link(job, tail, null),
    addFirst: (job) => link(job, null, head),
    remove(job) {
      const { before, after } = job
      if (before === null) head = after
      else before.after = after
      if (after === null) tail = before
      else after.before = before
      job.before = null
      job.after = null
      size--
      if (job.isScaling) scaling--
    },
    *all() {
      for (let job = head; job !== null; ) {
        const next: Job | null = job.after
        yield job
        job = next
      }
    },
  }
}
