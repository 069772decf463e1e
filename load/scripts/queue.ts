import { sleep } from 'k6'
import execution from 'k6/execution'
import { createRecord, createSend, optionsOf, readPlan } from './lib/k6.ts'
import { filled } from './lib/steps.ts'

// Every shape of load on endpoints (docs/load.md): the plan says what is sent, and when.
const plan = readPlan()
const send = createSend(plan)
const record = createRecord()

export const options = optionsOf(plan)

/** Sends one request of the running scenario in each iteration. */
export function drive(): void {
  const { name, iterationInTest } = execution.scenario
  const { operation = '', endpoint = '', spacingMs = 0, jobs = [], answerMs } = plan.scenarios[name] ?? {}
  const request = plan.requests[operation]
  if (request === undefined) throw new Error(`The plan says nothing of what ${name} sends`)
  if (spacingMs > 0) sleep((iterationInTest * spacingMs) / 1000)
  const job = jobs[iterationInTest % jobs.length] ?? ''
  const params = { tags: { operation, endpoint }, ...(answerMs !== undefined && { timeout: `${answerMs}ms` }) }
  if (operation !== 'health') return void send(filled(request, plan, endpoint, job), params)
  // Asked by the script where no driver does; its body says how many workers run.
  const response = send(filled(request, plan, endpoint, job), { ...params, responseType: 'text' })
  record(operation, response, { body: String(response.body ?? '').replaceAll(__ENV.PLUMBLINE_TOKEN ?? '', '') })
}
