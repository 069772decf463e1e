import type { Target } from '../../target/types.ts'
import { createControlledClock } from '../clock/controlled.ts'
import type { OpenClockOptions } from '../clock/open.ts'
import type { RunClock } from '../clock/types.ts'
import { type HttpListener, listenForArrivals } from '../receiver/http.ts'
import { inProcessListener } from '../receiver/in-process.ts'
import type { Listener } from '../receiver/types.ts'
import { withTool } from '../tool/transport.ts'
import type { EmbeddedTarget } from '../transport/embedded.ts'
import { inProcess } from '../transport/in-process.ts'
import type { Transport } from '../transport/types.ts'

/** A target with the ways to it: its requests, its clock, and its notifications. */
export interface Connected {
  readonly target: Target
  readonly transport: Transport
  readonly clockOf: (options: Pick<OpenClockOptions, 'waited' | 'onLateResponse' | 'busyLimitMs'>) => Promise<RunClock>
  readonly listener: Listener | null
  /** Why the receiver could not be opened; null if it was, or is not needed. */
  readonly deaf: string | null
  readonly close: () => Promise<void>
}

interface ConnectOptions {
  /** False if no notification and no beacon is awaited. */
  readonly hears?: boolean
  /** Connections at once to a host; default: as many as the clock of the target needs. */
  readonly connections?: number
  /** Adds the commands of the deployment tool to a transport; default: they are run as the target file says. */
  readonly tool?: (send: Transport) => Transport
}

/** With a controlled clock: time stands still while a request waits for one of them, and the others may wait for time. */
const controlledConnections = 1_024

/** Connects to a target over HTTP. Its modules are loaded here: a run in process is sooner without them. */
export async function connectTo(
  target: Target,
  { hears = true, connections, tool = (send) => withTool(send, target.deploy) }: ConnectOptions = {},
): Promise<Connected> {
  const [{ overHttp }, { openClock }] = await Promise.all([import('../transport/http.ts'), import('../clock/open.ts')])
  const { tolerances } = target
  const receiver = hears ? target.receiver : null
  const heard = receiver === null ? null : await listen(receiver.listen)
  const [listener, deaf] = typeof heard === 'string' ? [null, heard] : [heard, null]
  const url = receiver?.url === '' ? (listener?.url ?? '') : (receiver?.url ?? '')
  const { answerMs, connectMs } = tolerances
  const http = overHttp({
    answerMs,
    connectMs,
    network: target.network,
    ...(target.clock !== 'real' && { connections: controlledConnections }),
    ...(connections !== undefined && { connections }),
  })
  return {
    target: receiver === null ? target : { ...target, receiver: { ...receiver, url } },
    transport: tool(http.send),
    clockOf: (callbacks) => openClock(target, callbacks),
    listener,
    deaf,
    close: async () => {
      await listener?.close()
      await http.close()
    },
  }
}

/** Connects to a target in this process. */
export async function connectHere(embedded: EmbeddedTarget): Promise<Connected> {
  const { fetch, control, target } = embedded
  const listener = inProcessListener(embedded)
  return {
    target: listener === null ? { ...target, receiver: null } : target,
    transport: inProcess(fetch),
    clockOf: async ({ onLateResponse: _, ...callbacks }) => {
      const { nowMs } = await control.state()
      return createControlledClock({ kind: 'virtual', control, startMs: nowMs, ...callbacks })
    },
    listener,
    deaf: null,
    close: async () => {},
  }
}

/** The receiver, or why it cannot be opened. */
async function listen(address: string): Promise<HttpListener | string> {
  try {
    return await listenForArrivals(address)
  } catch (error) {
    const { code = String(error) } = error as { code?: string }
    const way =
      code === 'EADDRNOTAVAIL' ? 'name a host of this machine, such as 0.0.0.0' : 'choose another port, or 0 for any'
    return `receiver.listen: ${address} cannot be opened (${code}); ${way}`
  }
}
