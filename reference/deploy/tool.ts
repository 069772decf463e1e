import {
  type Listed,
  type Project,
  partsOf,
  type SourceFile,
  type SourceTree,
  type ToolOptions,
  ToolRefusal,
} from './options.ts'
import { contentsOf } from './package.ts'

/** Addresses of peers that were looked up. */
export interface PeerCache {
  get(caller: string): Readonly<Record<string, PeerEntry>>
  set(caller: string, entries: Readonly<Record<string, PeerEntry>>): void
}

interface PeerEntry {
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
  /** Waits before a request is sent again, ms. */
  wait(ms: number): Promise<void>
  readonly peers: PeerCache
  /** The address of a load-balanced endpoint; missing if the API has none. */
  addressOf?(id: string): string | null
}

/** Creates and removes endpoints of projects through endpoint management. Every function may throw ToolRefusal. */
export interface Tool {
  /** The files of the package of a project. */
  contents(tree: SourceTree): readonly SourceFile[]
  /**
   * Packs a project, and creates an endpoint for each configuration whose name no endpoint has; returns their names.
   */
  deploy(project: Project, pack: () => Promise<unknown>): Promise<readonly string[]>
  list(): Promise<readonly Listed[]>
  /** The message about a refusal. */
  says(refusal: ToolRefusal): string
  remove(name: string): Promise<void>
  /** Calls a peer by its name; returns how often its address was looked up so far. */
  call(from: string, to: string): Promise<number>
}

/** Statuses after which a request is sent again. */
const busy: ReadonlySet<number> = new Set([429, 502, 503, 504])
const maxTries = 5

export function createTool(host: ToolHost, options: ToolOptions): Tool {
  const parts = partsOf(options)
  const { style } = options

  async function list(): Promise<Listed[]> {
    const { status, json } = await ask('GET', '/v1/endpoints')
    const all = Array.isArray(json) ? json : Object.values(json ?? {}).find(Array.isArray)
    if (status !== 200 || !Array.isArray(all)) throw new ToolRefusal(`the list of endpoints was answered ${status}`)
    return (all as { name?: unknown; id?: unknown; templateId?: unknown }[]).map(({ name, id, templateId }) => {
      // An API may not show the template.
      const isServer = templateId === undefined || templateId === options.serverTemplate
      const url = isServer ? (host.addressOf?.(String(id)) ?? null) : null
      return { name: String(name), id: String(id), ...(url === null ? {} : { url }) }
    })
  }

  async function find(name: string): Promise<Listed[]> {
    return (await list()).filter((one) => parts.isNamed(one.name, name))
  }

  /** Asks again while the API is busy; `isDone` tells whether the request was carried out all the same. */
  async function ask(method: string, path: string, body?: unknown, isDone = async () => false) {
    for (let tries = 1; ; tries++) {
      const answer = await host.send(method, path, body)
      if (!busy.has(answer.status) || tries === maxTries) return answer
      await host.wait(tries * 1_000)
      if (await isDone()) return { ...answer, status: 200 }
    }
  }

  return {
    says: ({ message }) => parts.says(message),
    contents: (tree) => contentsOf(tree, options),
    list: async () => parts.shown(await list()),
    async deploy(project, pack) {
      if (style.packs === 'first') await pack()
      const given = parts.endpointsOf(project)
      const twice = given.find(({ name }, at) => given.findIndex((one) => one.name === name) < at)
      if (twice !== undefined && style.sameName === 'refused') {
        throw new ToolRefusal(`two endpoints of the project are named ${twice.name}; give each its own name`)
      }
      const made: string[] = []
      for (const config of given) {
        const isThere = made.includes(config.name) || (await find(config.name)).length > 0
        if (isThere && style.sameName !== 'created') continue
        const isMade = async () => (await find(config.name)).length > 0
        const { status, json } = await ask('POST', '/v1/endpoints', parts.bodyOf(config), isMade)
        if (status >= 300) {
          throw new ToolRefusal(`the creation of ${config.name} was answered ${status}: ${JSON.stringify(json)}`)
        }
        made.push(config.name)
      }
      if (style.packs === 'last') await pack()
      return made
    },
    async remove(name) {
      const all = await find(name)
      if (all.length === 0) throw new ToolRefusal(`no endpoint is named ${name}`)
      for (const { id } of all) {
        const { status } = await ask('DELETE', `/v1/endpoints/${id}`)
        if (status >= 300 && status !== 404) throw new ToolRefusal(`the removal of ${name} was answered ${status}`)
      }
    },
    async call(from, to) {
      const nowMs = await host.nowMs()
      const cached = host.peers.get(from)
      let entry = cached[to]
      if (entry === undefined || !parts.isFresh(nowMs - entry.atMs)) {
        const [peer] = await find(to)
        if (peer === undefined) throw new ToolRefusal(`no endpoint is named ${to}`)
        entry = { id: peer.id, atMs: nowMs, lookups: (entry?.lookups ?? 0) + 1 }
        host.peers.set(from, { ...cached, [to]: entry })
      }
      const { status } = await ask('POST', `/v2/${entry.id}/run`, { input: { from } })
      if (status !== 200) throw new ToolRefusal(`${to} answered ${status}`)
      return entry.lookups
    },
  }
}
