import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jsonIn } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import { type PeerCache, type ToolHost, ToolRefusal } from '../../reference/deploy/index.ts'

/** Real ms for a response of the API. */
const answerMs = 30_000

/** The surroundings of the tool, from its environment variables. Its functions throw ToolRefusal if one is missing. */
export function hostOf(environment: Readonly<Record<string, string | undefined>>): ToolHost {
  const clock = environment.PLUMBLINE_DEPLOY_CLOCK
  return {
    async send(method, path, body) {
      const url = demand(environment, 'PLUMBLINE_DEPLOY_URL')
      const key = demand(environment, 'PLUMBLINE_DEPLOY_KEY')
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const content = body === undefined ? {} : { body: JSON.stringify(body) }
      const { status, text } = await ask(url + path, { method, headers, ...content })
      return { status, json: jsonIn(text) }
    },
    async nowMs() {
      if (clock === undefined) return Date.now()
      return Number(membersOf(jsonIn((await ask(clock, {})).text))?.nowMs)
    },
    wait: (ms) => sleep(ms),
    addressOf: (id) => environment.PLUMBLINE_DEPLOY_LB?.replace('{id}', id) ?? null,
    peers: peersIn(environment.PLUMBLINE_DEPLOY_STATE ?? join(tmpdir(), 'plumbline-deploy-peers')),
  }
}

function demand(environment: Readonly<Record<string, string | undefined>>, name: string): string {
  const value = environment[name]
  if (value === undefined || value === '') throw new ToolRefusal(`the environment variable ${name} is not set`)
  return value
}

async function ask(url: string, init: RequestInit): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(answerMs) })
    return { status: response.status, text: await response.text() }
  } catch (error) {
    const { cause, message } = error as Error
    throw new ToolRefusal(`${url} gave no response: ${cause instanceof Error ? cause.message : message}`)
  }
}

/** Addresses of peers in a folder, a file for each caller. */
function peersIn(folder: string): PeerCache {
  const fileOf = (caller: string) => join(folder, `${encodeURIComponent(caller)}.json`)
  return {
    get(caller) {
      try {
        return JSON.parse(readFileSync(fileOf(caller), 'utf8'))
      } catch {
        return {}
      }
    },
    set(caller, entries) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileSync(fileOf(caller), JSON.stringify(entries))
    },
  }
}
