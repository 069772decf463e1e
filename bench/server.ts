import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createHost } from '../cli/serve/host.ts'
import { validators } from '../generated/validators.ts'
import { createRealClock, createReference, defaultKeys } from '../reference/index.ts'

// One of two servers, in its own process: the reference, or the smallest server that does the same work. An argument
// says which. It reports its address to the parent and, on request, its processor time.

const maximumBodyBytes = 1_000_000
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads the body, applies the same limits and validator, finds the pod and responds. */
function bare(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const known = request.headers.authorization === `Bearer ${defaultKeys.full}`
    const pod = pods.get(request.url?.split('/')[3] ?? '')
    const bytes = Buffer.concat(chunks)
    const body: unknown = bytes.length === 0 ? undefined : JSON.parse(utf8.decode(bytes))
    const isJson = request.headers['content-type']?.startsWith('application/json') === true
    const valid =
      body === undefined || (isJson && bytes.length <= maximumBodyBytes && validators.PodActionRequest(body))
    const status = !known ? 401 : pod === undefined ? 404 : !valid ? 422 : body === undefined ? 200 : 409
    const text = JSON.stringify(status === 200 ? pod : { title: 'refused', status, detail: 'refused' })
    response.writeHead(status, {
      'Content-Type': status === 200 ? 'application/json' : 'application/problem+json',
      'Content-Length': Buffer.byteLength(text),
      RateLimit: '"minute";r=100;t=12, "hour";r=100;t=12, "day";r=100;t=12',
      'RateLimit-Policy': '"minute";q=100;w=60, "hour";q=100;w=3600, "day";q=100;w=86400',
    })
    response.end(text)
  })
}

const pods = new Map<string, unknown>()
const unlimited = { minute: 1e9, hour: 1e9, day: 1e9 }
const reference = createReference({
  clock: createRealClock(),
  quotas: unlimited,
  life: { provisioningMs: 0, startingMs: 0 },
})
const created = await reference.fetch(
  new Request('http://bench/v2/pods', {
    method: 'POST',
    headers: { Authorization: `Bearer ${defaultKeys.full}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'bench', image: 'bench', gpu: { id: 'gpu-a' } }),
  }),
)
const pod = (await created.json()) as { id: string }
pods.set(pod.id, pod)
const server = process.argv[2] === 'bare' ? createServer(bare) : createHost(reference.fetch, 'localhost')
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  process.send?.({ port, id: pod.id, key: defaultKeys.full })
})
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpu: user + system })
})
process.on('disconnect', () => {
  server.close()
  server.closeAllConnections()
})
