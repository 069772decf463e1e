import { rule } from '../harness/registry.ts'

rule(
  'queue.retry-automatic',
  async ({ fixture, ended, check, inconclusive, target }) => {
    const { coldStartMs, dispatchMs } = target.tolerances
    const failing = await fixture.submitted({
      steps: [{ first: [{ fail: 'once' }] }, { output: 'again' }],
      endpoint: 'dedicated',
    })
    const dying = await fixture.submitted({
      steps: [{ first: [{ exit: 1 }] }, { output: 'again' }],
      endpoint: 'dedicated',
    })
    // The first execution and the second may each need a worker that is not there yet.
    const boundMs = 2 * (coldStartMs + dispatchMs)
    const ends = [
      { what: 'failed', job: failing, end: await ended(failing, boundMs) },
      { what: 'died', job: dying, end: await ended(dying, boundMs) },
    ]
    const isAgain = ends.some(({ job, end }) => end.status === 'COMPLETED' && job.beacon.starts().length > 1)
    if (!isAgain && ends.some(({ end }) => !end.settled)) inconclusive('a job did not end in time')
    const came = ends.map(({ what, end }) => `${end.status} where the first one ${what}`).join(', ')
    check('again').that(isAgain, 'COMPLETED in a second execution', came, ends[1]?.end.reply)
  },
  { uses: ['dedicated'] },
)
