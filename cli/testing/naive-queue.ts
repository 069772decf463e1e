import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

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
 */
export async function serveNaiveQueue(): Promise<{ readonly url: string; close(): void }> {
  const jobs = new Map<string, Job>()
  const server = createServer((request, response) => void serve(request, response, jobs))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => end(server) }
}

async function serve(request: IncomingMessage, response: ServerResponse, jobs: Map<string, Job>): Promise<void> {
  const [, , , operation, id = ''] = (request.url ?? '').split('/')
  const route = `${request.method} ${operation}`
  if (route === 'GET status') {
    const job = jobs.get(id)
    return job === undefined ? answer(response, 404, { error: 'no such job' }) : answer(response, 200, job)
  }
  if (route !== 'POST run' && route !== 'POST runsync') return answer(response, 404, { error: 'no such route' })
  let text = ''
  for await (const chunk of request) text += String(chunk)
  try {
    const { input } = JSON.parse(text) as { input: { plumbline?: { steps: Step[] } } }
    const job: Job = { id: `job-${jobs.size + 1}`, status: 'IN_QUEUE' }
    jobs.set(job.id, job)
    if (operation === 'run') answer(response, 200, job)
    handle(job, input)
    if (operation === 'runsync') answer(response, 200, job)
  } catch (error) {
    if (!response.headersSent) answer(response, 400, { error: String(error) })
  }
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

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function end(server: Server): void {
  server.closeAllConnections()
  server.close()
}
