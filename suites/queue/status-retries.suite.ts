import { rule } from '../harness/registry.ts'

rule(
  'queue.retry-automatic',
  async ({ fixture, follow, clock, check, inconclusive, target }) => {
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
    const deadline = clock.now() + boundMs
    const isOver = (status: string) => status === 'COMPLETED' || status === 'gone'
    const ends = []
    for (const { what, job } of [
      { what: 'died', job: dying },
      { what: 'failed', job: failing },
    ]) {
      // A job that is FAILED may still be executed again unasked.
      const end = await follow(job, isOver, Math.max(0, deadline - clock.now()))
      ends.push({ what, job, end })
      check('again').saw(end.reply)
      if (end.status === 'COMPLETED' && job.beacon.executions().length > 1) break
    }
    const isAgain = ends.some(({ job, end }) => end.status === 'COMPLETED' && job.beacon.executions().length > 1)
    const isOpen = ends.some(({ end }) => end.status !== 'FAILED' && !end.settled)
    if (!isAgain && isOpen) inconclusive('a job did not end in time')
    const came = ends.map(({ what, end }) => `${end.status} where the first one ${what}`).join(', ')
    check('again').that(isAgain, 'COMPLETED in a second execution', came, ends.at(-1)?.end.reply ?? null)
  },
  { uses: ['dedicated'] },
)
