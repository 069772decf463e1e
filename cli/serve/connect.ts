import { setTimeout as sleep } from 'node:timers/promises'
import { openClock } from '../../harness/clock/open.ts'
import type { WireRequest } from '../../harness/exchange/exchange.ts'
import { connectTo } from '../../harness/run/connect.ts'
import { commandScheme } from '../../harness/tool/address.ts'
import { inProcess } from '../../harness/transport/in-process.ts'
import type { Transport } from '../../harness/transport/types.ts'
import { describedBy, referenceTarget, withToolOf, withVariants } from '../../proof/instance.ts'
import type { Connect } from '../../proof/judge.ts'
import { embeddedUrl, startMs } from '../../reference/embedded.ts'
import { type Fetch, isForwarded, type ReferenceOptions } from '../../reference/index.ts'
import { codeOf } from '../shared/records/output-folders.ts'
import { createMock } from './app.ts'
import { createPorts, portsOf } from './ports.ts'
import { createServed } from './served.ts'
import { createRealCall } from './worker/call.ts'

const host = '127.0.0.1'

/**
 * Real milliseconds after which a response takes controlled time. The server is in this process, so that its count of open
 * requests tells a response that is on its way from one that is held, however busy the machine is.
 */
const lateResponseMs = 20

/** Longest real time for a response, which in process has no limit: instances share this process, and wait for each other. */
const longestMs = 1_800_000

/** Real milliseconds until a port that another instance has is tried again. */
const busyPortMs = 200

/**
 * Serves variants as `plumbline serve --clock control` does, in this process, and connects to the port as `check --target`
 * does. The commands of the deployment tool run in this process and send their requests to the port.
 */
export const connect: Connect = async (variants) => {
  const { call, close: hangUp } = createRealCall()
  const change = (base: ReferenceOptions) => withVariants({ ...base, call }, variants)
  const served = createServed({ kind: 'control', startMs, change })
  const ports = createPorts(createMock({ served }), host)
  const url = await ports.open(0)
  const target = describedBy(variants, referenceTarget(url, 'control'))
  for (const port of portsOf(target, url)) await openOnceFree(() => ports.open(port))
  const tool = (sending: Transport) => {
    const send: Transport = (request, patience) => sending(routed(request, url), { ...patience, answerMs: longestMs })
    const nowMs = async () => served.nowMs()
    const withTool = inProcess(withToolOf(variants, target, fetchBy(send, url), nowMs))
    return (...sent: Parameters<Transport>) =>
      sent[0].url.startsWith(commandScheme) ? withTool(...sent) : send(...sent)
  }
  const connected = await connectTo(target, { tool })
  return {
    ...connected,
    clockOf: (callbacks) => openClock(target, { ...callbacks, lateResponseMs }),
    async close() {
      await connected.close()
      await ports.close(0)
      served.close()
      await hangUp()
    },
  }
}

/** A latitude may name its ports, which one instance has at a time. */
async function openOnceFree(open: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      return void (await open())
    } catch (error) {
      if (codeOf((error as Error).cause) !== 'EADDRINUSE') throw error
    }
    await sleep(busyPortMs)
  }
}

/** Requests to the forwarded ports of pods, which exist only in this process, reach the server by their Host. */
function routed(request: WireRequest, url: string): WireRequest {
  const { host, hostname, origin } = new URL(request.url)
  if (!isForwarded(hostname)) return request
  return { ...request, url: request.url.replace(origin, url), headers: [...request.headers, ['Host', host]] }
}

/** The requests of the tool, which knows the reference by its address in process, over a transport. */
function fetchBy(send: Transport, url: string): Fetch {
  return async (request) => {
    const body = new Uint8Array(await request.arrayBuffer())
    const {
      status,
      headers,
      body: bytes,
    } = await send({
      method: request.method,
      url: request.url.replace(embeddedUrl, url),
      headers: [...request.headers],
      body: body.length === 0 ? null : body,
    })
    return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), {
      status,
      headers: headers.map(([name, value]) => [name, value] as [string, string]),
    })
  }
}
