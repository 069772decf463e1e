import { sleep } from 'k6'
import execution from 'k6/execution'
import type { Response } from 'k6/http'
import { createRecord, createSend, headerTags, jsonIn, optionsOf, readPlan } from './lib/k6.ts'
import { filled } from './lib/steps.ts'
import type { ScriptRequest } from './lib/types.ts'
import { unfinishedTag } from './lib/unfinished.ts'

// All operations together (docs/load.md): the plan says in which sessions, and how often.
const plan = readPlan()
const send = createSend(plan)
const record = createRecord()

export const options = optionsOf(plan)

/** Operations that give the session its job or pod; without one the rest of it is left out. */
const creating = ['run', 'createPod']

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

function tagsOf(request: ScriptRequest, response: Response): Record<string, string> {
  // Headers have too many values for tags of a long load.
  const headers = plan.shape === 'mixed-smoke' ? headerTags(response) : {}
  return { ...headers, ...unfinishedTag(request, response.status, () => jsonIn(response.body)) }
}
