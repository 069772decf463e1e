/** Answers a request that the platform or a worker sends; rejects if there is no connection. */
export type Call = (request: Request) => Promise<Response>

/** A job as a worker program is handed it. */
export interface WorkerJob {
  readonly id: string
  readonly input: Readonly<Record<string, unknown>>
  readonly s3Config: Readonly<Record<string, unknown>> | null
  /** The Plumbline-Call of every request of this execution. */
  readonly call: string
  /** From 1, executions after /retry counted on. */
  readonly attempt: number
  /** Unique to this execution. */
  readonly execution: string
  readonly worker: string
}

/** The environment of a worker program. */
export interface WorkerTools {
  readonly call: Call
  /** Aborted when the execution shall stop: its job was cancelled, timed out or deleted. */
  readonly signal: AbortSignal
  /** Hands on a partial result. */
  emit(partial: unknown): void
  readonly env: Readonly<Record<string, string>>
  /** Null on CPU. */
  readonly gpu: { readonly id: string; readonly count: number } | null
}

/** How an execution ended; stopped is one that heeded its signal. `code`: the exit code that the job asked for. */
export type Outcome =
  | { readonly kind: 'completed'; readonly output: unknown }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'died'; readonly code?: number }
  | { readonly kind: 'stopped' }

/** The program of a worker. A rejection is a failure of the handler, with its message. */
export interface WorkerProgram {
  execute(job: WorkerJob, tools: WorkerTools): Promise<Outcome>
}

/** The environment of a worker of a load-balanced endpoint. */
export interface ServerTools {
  /** Workers of one endpoint share the counts of `/plumbline/seen`. */
  readonly endpoint: string
  /** Its name. */
  readonly worker: string
  /** Sends what the worker sends. */
  readonly call: Call
}

/** A worker of a load-balanced endpoint: an HTTP server. */
export interface ServerWorker {
  /** Its response to a request, by the path and the query; the host does not matter. Rejects if it has died. */
  fetch(request: Request): Promise<Response>
  /** Settles once it has died. */
  readonly ended: Promise<void>
  stop(): void
}

/** The program of the workers of load-balanced endpoints. */
export interface ServerProgram {
  /** Rejects if the worker does not start. */
  start(tools: ServerTools): Promise<ServerWorker>
}
