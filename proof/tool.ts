import { jsonIn } from '../harness/exchange/exchange.ts'
import { readCommandAddress } from '../harness/tool/address.ts'
import { summarise } from '../harness/tool/package.ts'
import { randomBytes, wantedTexts } from '../harness/tool/project.ts'
import type { CommandEnd, PackageSummary, ProjectTree } from '../harness/tool/types.ts'
import {
  countedSize,
  createTool,
  type PeerCache,
  packed,
  type SourceFile,
  type Tool,
  type ToolHost,
  type ToolOptions,
  ToolRefusal,
} from '../reference/deploy/index.ts'
import { embeddedUrl } from '../reference/embedded.ts'
import type { Fetch } from './types.ts'

/** A reference whose fetch also answers the commands of a deployment tool, as if the tool had run. */
export function withReferenceTool(
  fetch: Fetch,
  host: Pick<ToolHost, 'nowMs' | 'addressOf'>,
  options: ToolOptions,
): Fetch {
  const peers = createPeers()
  return async (request) => {
    const address = readCommandAddress(request.url)
    if (address === null) return fetch(request)
    const authorization = request.headers.get('authorization') ?? ''
    const tool = createTool({ send: sender(fetch, authorization), ...host, peers, wait: async () => {} }, options)
    const given: unknown = request.method === 'GET' ? {} : JSON.parse((await request.text()) || '{}')
    try {
      return await perform(address.command, address.name, given, tool, options)
    } catch (error) {
      if (!(error instanceof ToolRefusal)) throw error
      const status = ['build', 'deploy'].includes(address.command) ? 200 : 500
      return Response.json(ended(1, { stderr: tool.says(error), package: null }), { status })
    }
  }
}

async function perform(
  command: string,
  name: string | null,
  given: unknown,
  tool: Tool,
  options: ToolOptions,
): Promise<Response> {
  if (command === 'list') {
    const listed = await tool.list()
    const endpoints = listed.map(({ id, ...one }) => ({ ...one, id: one.name, endpoint: id }))
    if (name === null) return Response.json({ ...ended(0), endpoints })
    const found = endpoints.find((one) => one.name === name)
    return found === undefined ? new Response(null, { status: 404 }) : Response.json(found)
  }
  if (command === 'remove') {
    await tool.remove(name ?? '')
    return Response.json(ended(0))
  }
  if (command === 'call') {
    const { from, to } = given as { from: string; to: string }
    return Response.json(ended(0, { stdout: `{"lookups":${await tool.call(from, to)}}\n` }))
  }
  const tree = given as ProjectTree
  const files = tool.contents({ project: tree.project, files: sourcesOf(tree) })
  const pack = () => summaryOf(files, tree, options)
  if (command === 'build') return Response.json(ended(0, { package: await pack() }))
  const made = await tool.deploy(tree.project, pack)
  return Response.json(ended(0, { stdout: made.map((one) => `${one}\n`).join('') }))
}

function ended(exit: number, more: Partial<CommandEnd> = {}): CommandEnd {
  return { exit, stdout: '', stderr: '', ...more }
}

function sourcesOf({ files }: ProjectTree): SourceFile[] {
  return Object.entries(files).map(([path, content]) => {
    if (typeof content !== 'string') return { path, ...content, read: () => randomBytes(content.bytes, path) }
    const bytes = Buffer.from(content)
    return { path, bytes: bytes.length, read: () => [bytes] }
  })
}

/** Large files are counted, not made. */
const countedFrom = 1_000_000

async function summaryOf(
  files: readonly SourceFile[],
  tree: ProjectTree,
  options: ToolOptions,
): Promise<PackageSummary> {
  if (!files.some(({ bytes }) => bytes >= countedFrom)) {
    return summarise(packed(files, options), wantedTexts(tree, options.style.manifest))
  }
  const bytes = countedSize(files, options)
  return { format: options.style.format, bytes, paths: files.map(({ path }) => path).sort(), texts: {} }
}

function sender(fetch: Fetch, authorization: string) {
  return async (method: string, path: string, body?: unknown) => {
    const headers = {
      authorization,
      'accept-encoding': 'identity',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const response = await fetch(new Request(embeddedUrl + path, init))
    const text = await response.text()
    return { status: response.status, json: jsonIn(text) }
  }
}

function createPeers(): PeerCache {
  const kept = new Map<string, ReturnType<PeerCache['get']>>()
  return { get: (caller) => kept.get(caller) ?? {}, set: (caller, entries) => void kept.set(caller, entries) }
}
