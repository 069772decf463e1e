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

/** How an execution ended; stopped is one that heeded its signal. */
export type Outcome =
  | { readonly kind: 'completed'; readonly output: unknown }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'died' }
  | { readonly kind: 'stopped' }

/** The program of a worker. A rejection is a failure of the handler, with its message. */
export interface WorkerProgram {
  execute(job: WorkerJob, tools: WorkerTools): Promise<Outcome>
}
