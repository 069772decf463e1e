import type { Call } from './program.ts'

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
