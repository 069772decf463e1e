import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { listening } from '../../../harness/testing/listening.ts'

interface Job {
  readonly id: string
  status: 'IN_QUEUE' | 'COMPLETED' | 'FAILED'
  output?: unknown
  error?: string
}

interface Step {
  readonly output?: unknown
  readonly fail?: string
  readonly bytes?: number
}

/**
 * A naive implementation of queue-based endpoints, for tests: /run, /runsync and /status on any endpoint, without keys.
 * Its handler runs at once in this process: it echoes the input, or follows the simplest steps of a plan.
 * `statusBy`: the only method of /status. Returns its address.
 */
export function serveNaiveQueue({ statusBy = 'GET' } = {}): Promise<string> {
  const jobs = new Map<string, Job>()
  const app = new Hono()
  const status = '/v2/:endpoint/status/:id'
  app.on(statusBy, status, ({ req, json }) => {
    const job = jobs.get(req.param('id'))
    return job === undefined ? json({ error: 'no such job' }, 404) : json(job)
  })
  app.post('/v2/:endpoint/:operation{run(?:sync)?}', async ({ req, json }) => {
    const { input } = JSON.parse(await req.text()) as { input: { plumbline?: { steps: Step[] } } }
    const job: Job = { id: `job-${jobs.size + 1}`, status: 'IN_QUEUE' }
    jobs.set(job.id, job)
    const accepted = json(job)
    const handled = Promise.resolve().then(() => handle(job, input))
    // Once a job is accepted, a handler that crashes goes unseen.
    if (req.param('operation') === 'run') return handled.then(() => accepted).catch(() => accepted)
    return handled.then(() => json(job))
  })
  app.all(status, ({ json }) => json({ error: 'another method' }, 405))
  app.notFound(({ json }) => json({ error: 'no such route' }, 404))
  app.onError((error, { json }) => json({ error: String(error) }, 400))
  return listening(createAdaptorServer({ fetch: app.fetch }) as Server)
}

function handle(job: Job, input: { plumbline?: { steps: Step[] } }): void {
  job.status = 'COMPLETED'
  job.output = input.plumbline === undefined ? input : null
  for (const { output, fail, bytes } of input.plumbline?.steps ?? []) {
    if (output !== undefined) job.output = output
    if (bytes !== undefined) job.output = 'x'.repeat(bytes)
    if (fail !== undefined) Object.assign(job, { status: 'FAILED', error: fail })
  }
}
