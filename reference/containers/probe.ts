import type { Container, ContainerProgram, ContainerTools } from './program.ts'

/** The image of the probe in a reference. */
export const probeImage = 'plumbline/probe'
export const probePort = 8000

/** The variable that holds the token, and the header that carries it. */
const tokenVariable = 'PLUMBLINE_PROBE'
const tokenHeader = 'plumbline-probe'
/** The variables that it reports; they are the suite's. */
const reported = /^PLUMBLINE_\w+$/
/** The files that it reads and writes. */
const ownFile = /^\/(?:[^/]+\/)*plumbline-[A-Za-z0-9._-]+$/
/** Only the suite may do these: it knows the token. */
const guarded = new Set([
  'GET /plumbline/file',
  'PUT /plumbline/file',
  'DELETE /plumbline/file',
  'POST /plumbline/call',
])
const hostForm = /^[A-Za-z0-9._~-]+$/
const maxBytes = 65_536

/** One file system: the files of each storage, by their path in it. */
type Storages = Map<string, Map<string, string>>

/** One start of the container. */
interface Started extends ContainerTools {
  readonly start: string
  readonly storages: Storages
}

/** The probe in process: the same responses as `suites/probe/probe.py`. Storages outlive the containers. */
export function createProbe(): ContainerProgram {
  const storages: Storages = new Map()
  let starts = 0
  return {
    start(tools): Container {
      const started: Started = { ...tools, start: `start-${++starts}`, storages }
      let isOver = false
      return {
        port: probePort,
        async fetch(request) {
          if (isOver) throw new Error('the container has ended')
          return answer(request, started)
        },
        stop() {
          isOver = true
        },
      }
    },
  }
}

async function answer(request: Request, started: Started): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  const route = `${request.method} ${pathname}`
  if (route === 'GET /plumbline/probe') return report(searchParams.get('env') ?? '', started)
  if (!guarded.has(route)) return refused(404, 'no such route')
  const token = started.env[tokenVariable] ?? ''
  if (token === '' || request.headers.get(tokenHeader) !== token)
    return refused(403, 'the token is not that of the pod')
  if (route === 'POST /plumbline/call') return callPeer(await request.text(), started)
  const place = placeOf(searchParams.get('path') ?? '', started)
  if (place === null) return refused(400, 'expected an absolute path of a file whose name begins with plumbline-')
  if (request.method === 'PUT') return writeFile(place, await request.text())
  const text = place.files?.get(place.path)
  if (request.method === 'DELETE') place.files?.delete(place.path)
  return text === undefined ? refused(404, 'no such file') : Response.json({ text })
}

function report(names: string, { args, env, start }: Started): Response {
  const asked = names.split(',').filter((name) => reported.test(name) && name !== tokenVariable)
  return Response.json({
    v: 1,
    start,
    args: args.split(' ').filter((word) => word !== ''),
    env: Object.fromEntries(asked.map((name) => [name, env[name] ?? null])),
  })
}

/** A file and the storage that holds it; null storage: its folder does not exist. */
interface Place {
  readonly files: Map<string, string> | null
  readonly path: string
}

/** Null for a path that the probe refuses. */
function placeOf(path: string, { disk, mounts, storages }: Started): Place | null {
  if (!ownFile.test(path) || path.split('/').includes('..')) return null
  const folder = path.slice(0, path.lastIndexOf('/'))
  const mount = Object.keys(mounts).find((one) => one.replace(/\/+$/, '') === folder)
  if (mount !== undefined) return { files: filesOf(storages, mounts[mount] ?? ''), path: path.slice(folder.length) }
  // The image has no folder of its own but the root.
  return { files: folder === '' ? filesOf(storages, disk) : null, path }
}

function filesOf(storages: Storages, id: string): Map<string, string> {
  const files = storages.get(id) ?? new Map<string, string>()
  storages.set(id, files)
  return files
}

function writeFile({ files, path }: Place, text: string): Response {
  if (text.length > maxBytes) return refused(413, `a file may have ${maxBytes} bytes at most`)
  if (files === null) return refused(404, 'no such folder')
  files.set(path, text)
  return Response.json({ written: text.length })
}

/** Reads the report of the probe at another host. */
async function callPeer(text: string, { call }: Started): Promise<Response> {
  const { host, port } = addressIn(text)
  if (host === null || port === null) return refused(400, 'expected a host and a port')
  try {
    const peer = (await (await call(new Request(`http://${host}:${port}/plumbline/probe`))).json()) as {
      start?: unknown
    }
    return Response.json({ start: peer.start ?? null })
  } catch {
    return Response.json({ start: null })
  }
}

function addressIn(text: string): { readonly host: string | null; readonly port: number | null } {
  try {
    const { host, port } = JSON.parse(text)
    const isPort = Number.isInteger(port) && port > 0 && port < 65_536
    return { host: typeof host === 'string' && hostForm.test(host) ? host : null, port: isPort ? port : null }
  } catch {
    return { host: null, port: null }
  }
}

function refused(status: number, error: string): Response {
  return Response.json({ error }, { status })
}
