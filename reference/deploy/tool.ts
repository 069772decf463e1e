import type { ToolOptions } from './options.ts'
import { contentsOf } from './package.ts'
import { partsOf } from './parts.ts'
import { type Project, type SourceFile, type SourceTree, ToolRefusal } from './project.ts'

/** An endpoint that the tool lists. */
export interface Listed {
  readonly name: string
  readonly id: string
  readonly url?: string
}

/** Addresses of peers that were looked up. */
export interface PeerCache {
  get(caller: string): Readonly<Record<string, PeerEntry>>
  set(caller: string, entries: Readonly<Record<string, PeerEntry>>): void
}

export interface PeerEntry {
  readonly id: string
  readonly atMs: number
  /** How often it was looked up. */
  readonly lookups: number
}

/** Surroundings of a tool: the API, the time and what it keeps between calls. */
export interface ToolHost {
  /** Sends a JSON body to a path of the API with the key of the user. */
  send(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly json: unknown }>
  nowMs(): Promise<number>
  readonly peers: PeerCache
  /** The address of a load-balanced endpoint; missing if the API has none. */
  addressOf?(id: string): string | null
}

/** Creates and removes endpoints of projects through endpoint management. Every function may throw ToolRefusal. */
export interface Tool {
  /** The files of the package of a project. */
  contents(tree: SourceTree): readonly SourceFile[]
  /** Creates an endpoint for each configuration whose name no endpoint has; returns their names. */
  deploy(project: Project): Promise<readonly string[]>
  list(): Promise<readonly Listed[]>
  remove(name: string): Promise<void>
  /** Calls a peer by its name; returns how often its address was looked up so far. */
  call(from: string, to: string): Promise<number>
}

export function createTool(host: ToolHost, options: ToolOptions): Tool {
  const parts = partsOf(options)
  const { style } = options

  async function list(): Promise<Listed[]> {
    const { status, json } = await host.send('GET', '/v1/endpoints')
    if (status !== 200 || !Array.isArray(json)) throw new ToolRefusal(`the list of endpoints was answered ${status}`)
    return (json as { name?: unknown; id?: unknown }[]).map(({ name, id }) => {
      const url = host.addressOf?.(String(id)) ?? null
      return { name: String(name), id: String(id), ...(url === null ? {} : { url }) }
    })
  }

  return {
    contents: (tree) => contentsOf(tree, options),
    list,
    async deploy(project) {
      const given = parts.endpointsOf(project)
      const twice = given.find(({ name }, at) => given.findIndex((one) => one.name === name) < at)
      if (twice !== undefined && style.sameName === 'refused') {
        throw new ToolRefusal(`two endpoints of the project are named ${twice.name}; give each its own name`)
      }
      const known = new Set((await list()).map(({ name }) => name))
      const made: string[] = []
      for (const config of style.order === 'reversed' ? [...given].reverse() : given) {
        const body = parts.bodyOf(config)
        if (known.has(String(body.name))) continue
        const { status, json } = await host.send('POST', '/v1/endpoints', body)
        if (status >= 300) {
          throw new ToolRefusal(`the creation of ${config.name} was answered ${status}: ${JSON.stringify(json)}`)
        }
        if (style.sameName === 'merged') known.add(String(body.name))
        made.push(config.name)
      }
      return made
    },
    async remove(name) {
      const all = (await list()).filter((one) => parts.isNamed(one.name, name))
      if (all.length === 0) throw new ToolRefusal(`no endpoint is named ${name}`)
      for (const { id } of all) await host.send('DELETE', `/v1/endpoints/${id}`)
    },
    async call(from, to) {
      const nowMs = await host.nowMs()
      const cached = host.peers.get(from)
      let entry = cached[to]
      if (entry === undefined || !parts.isFresh(nowMs - entry.atMs)) {
        const peer = (await list()).find(({ name }) => name === to)
        if (peer === undefined) throw new ToolRefusal(`no endpoint is named ${to}`)
        entry = { id: peer.id, atMs: nowMs, lookups: (entry?.lookups ?? 0) + 1 }
        host.peers.set(from, { ...cached, [to]: entry })
      }
      const { status } = await host.send('POST', `/v2/${entry.id}/run`, { input: { from } })
      if (status !== 200) throw new ToolRefusal(`${to} answered ${status}`)
      return entry.lookups
    },
  }
}
