import { sleep } from 'k6'
import execution from 'k6/execution'
import type { Response } from 'k6/http'
import { createRecord, createSend, headerTags, jsonIn, optionsOf, readPlan } from './lib/k6.ts'
import { filled } from './lib/steps.ts'
import type { ScriptRequest } from './lib/types.ts'

// All operations together (docs/load.md): the plan says in which sessions, and how often.
const plan = readPlan()
const send = createSend(plan)
const record = createRecord()

export const options = optionsOf(plan)

/** Operations that give the session its job or pod; without one the rest of it is left out. */
const creating = ['run', 'createPod']
/** Statuses of jobs and pods that have ended. */
const ended = ['COMPLETED', 'FAILED', 'CANCELLED', 'TIMED_OUT', 'TERMINATED']

/** Sends the requests of one session, each about the job or pod of the first. */
export function drive(): void {
  const { name, iterationInTest } = execution.scenario
  const { endpoint = '', spacingMs = 0 } = plan.scenarios[name] ?? {}
  if (spacingMs > 0) sleep((iterationInTest * spacingMs) / 1000)
  const { sessions = [] } = plan
  let id = ''
  for (const operation of sessions[iterationInTest % sessions.length] ?? []) {
    const request = plan.requests[operation]
    if (request === undefined) throw new Error(`The plan says nothing of ${operation}`)
    const sent = filled(request, plan, endpoint, id)
    const response = send(
      { ...sent, path: sent.path.replaceAll('{id}', encodeURIComponent(id)) },
      { responseType: 'text' },
    )
    record(operation, response, tagsOf(request, response))
    if (!creating.includes(operation)) continue
    const json = jsonIn(response.body)
    const created = json?.id ?? json?.pod?.id
    if (response.status >= 300 || typeof created !== 'string') return
    id = created
  }
}

function tagsOf({ residents }: ScriptRequest, response: Response): Record<string, string> {
  // Headers have too many values for tags of a long load.
  const tags: Record<string, string> = plan.shape === 'mixed-smoke' ? headerTags(response) : {}
  if (residents === undefined || response.status !== 200) return tags
  const json = jsonIn(response.body)
  const count = residents === 'list' ? unfinishedIn(json) : sumAt(json, residents)
  return Number.isFinite(count) ? { ...tags, resident: String(count) } : tags
}

/** How many entries of the first list in a response have not ended; NaN without a list. */
function unfinishedIn(json: unknown): number {
  const lists = Array.isArray(json) ? [json] : Object.values(json ?? {}).filter(Array.isArray)
  return lists[0]?.filter((entry: { status?: string } | null) => !ended.includes(entry?.status ?? '')).length ?? NaN
}

function sumAt(json: unknown, paths: readonly string[]): number {
  const valueAt = (path: string) => path.split('.').reduce((at, name) => Object(at)[name], json)
  return paths.reduce((sum, path) => sum + Number(valueAt(path)), 0)
}
