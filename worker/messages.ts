import { createConformanceWorker } from './conformance.ts'
import { eachLine } from './lines.ts'
import type { Call, Outcome, WorkerJob, WorkerTools } from './program.ts'

/** Messages to a worker process, one JSON line each (`spec/worker.md`, heading The local process protocol). */
export type Told =
  | {
      readonly type: 'execute'
      readonly job: WorkerJob
      readonly env: WorkerTools['env']
      readonly gpu: WorkerTools['gpu']
    }
  | { readonly type: 'stop'; readonly execution: string }

/** Executes the jobs that standard input names until it ends, and then ends whatever still runs. */
export function executeMessages(): void {
  const worker = createConformanceWorker()
  const stops = new Map<string, AbortController>()
  listen((line) => {
    const message: Told = JSON.parse(line)
    if (message.type === 'stop') stops.get(message.execution)?.abort()
    else void execute(message)
  })
  say({ type: 'ready', v: 1 })

  async function execute({ job, env, gpu }: Extract<Told, { readonly type: 'execute' }>): Promise<void> {
    const { execution } = job
    const stop = new AbortController()
    stops.set(execution, stop)
    const emit = (partial: unknown) => say({ type: 'partial', execution, partial })
    const outcome = await worker
      .execute(job, { call: callDirectly, signal: stop.signal, emit, env, gpu })
      .catch((error: unknown): Outcome => ({ kind: 'failed', message: `the worker has a fault: ${error}` }))
    stops.delete(execution)
    const { kind: type, ...end } = outcome
    if (outcome.kind === 'died') process.exit(outcome.code)
    say({ type, execution, ...end })
  }
}

/** Calls `take` with each line of standard input, and ends the process with it. */
export function listen(take: (line: string) => void): void {
  eachLine(process.stdin, take, () => process.exit(0))
}

export function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

/** Sends a request without following redirects. */
export const callDirectly: Call = (request) => fetch(new Request(request, { redirect: 'manual' }))

/** An environment variable. */
export function environmentOf(name: string): string | undefined {
  return process.env[name]
}
