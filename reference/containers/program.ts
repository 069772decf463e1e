import type { Call } from '../../worker/program.ts'

/** The surroundings of a container from one start of it to its end. */
export interface ContainerTools {
  /** The pod. */
  readonly pod: string
  /** The arguments of the entrypoint, as the pod has them. */
  readonly args: string
  readonly env: Readonly<Record<string, string>>
  /** The container disk; another id is another disk, which is empty. */
  readonly disk: string
  /** Storage by the path at which it is mounted. */
  readonly mounts: Readonly<Record<string, string>>
  /** Sends a request to another host of the network that the pod is in. */
  readonly call: Call
}

/** A container: an HTTP server on one port. */
export interface Container {
  /** The port on which it listens. */
  readonly port: number
  /** Its response to a request, by the path and the query; the host does not matter. Rejects if it has ended. */
  fetch(request: Request): Promise<Response>
  stop(): void
}

/** The program of an image. */
export interface ContainerProgram {
  start(tools: ContainerTools): Container
}
