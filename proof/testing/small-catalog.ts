import type { RuleId } from '../../generated/rules.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import type { Invariant, Rule, Scenario } from '../../harness/rule/registry.ts'
import type { Catalog } from '../jobs.ts'
import { type ProveOptions, prove } from '../prove.ts'
import type { Defect, Fetch, Latitude } from '../types.ts'

// A catalogue of three rules, with a defect for each of their clauses.

export const listed = 'pods.shape.times'
export const opened = 'pods.action.terminated.any'

export const lists = scenario(listed, async ({ pods, check }) => {
  const response = await pods.list()
  check('answered').status(response, 200)
  check('list').that(Array.isArray(membersOf(response.json)?.pods), 'a list', 'no list', response)
})

const opens = scenario(opened, async ({ pods, check, reading }) => {
  const response = await pods.get('pod-none')
  check('refused').status(response, 404, 410)
  reading('unknown', String(response.status))
})

export const named: Invariant = {
  kind: 'invariant',
  id: 'pods.shape.env',
  initial: null,
  reduce: (state, { response }) => {
    const isNamed = response?.headers.some(([name]) => name === 'content-type') ?? false
    return {
      state,
      exercised: ['typed'],
      findings: isNamed ? [] : [{ clause: 'typed', expected: 'a type', observed: 'none' }],
    }
  },
}

export const answers500: Defect = {
  ...defect('list-answers-500', listed, 'answered', 'status 500'),
  wrap: () => async () => new Response('{}', { status: 500 }),
}
export const listIsMissing: Defect = {
  ...defect('list-is-missing', listed, 'list', 'no list'),
  wrap: answering((text) => text.replace('"pods"', '"items"')),
}
export const typeIsMissing: Defect = {
  ...defect('type-is-missing', 'pods.shape.env', 'typed', 'none'),
  tour: [listed],
  wrap: (fetch) => async (request) => {
    const response = await fetch(request)
    response.headers.delete('content-type')
    return response
  },
}
export const everythingIs500: Defect = {
  ...defect('unknown-answers-500', opened, 'refused', 'status 500'),
  wrap: () => async () => new Response('{}', { status: 500 }),
}
export const outage: Defect = {
  ...defect('outage', 'pods.shape.env', 'typed', 'none'),
  wrap: () => async () => new Response(null, { status: 503 }),
}
export const defects = [answers500, listIsMissing, typeIsMissing, everythingIs500]

export const gone: Latitude = {
  id: 'unknown-is-gone',
  says: 'What is not there is 410.',
  wrap: (fetch) => async (request) => {
    const response = await fetch(request)
    return response.status === 404 ? new Response('{}', { status: 410, headers: response.headers }) : response
  },
  readings: { [opened]: { unknown: '410' } },
}
export const renamed: Latitude = {
  id: 'list-is-renamed',
  says: 'The list has another name.',
  wrap: answering((text) => text.replace('"pods"', '"items"')),
  verdicts: { [listed]: 'failed' },
}

export const hidesIndented: Latitude = {
  id: 'hides-indented',
  says: 'A list in several lines has another name.',
  about: 'the list',
  wrap: answering((text) => (text.includes('\n') ? text.replace('"pods"', '"items"') : text)),
}

export const looksTwice = scenario(opened, async ({ pods, check, offers, reading }) => {
  const response = await pods.get('pod-none')
  check('refused').status(response, 404, 410)
  if (offers('catalog')) check('again').status(await pods.get('pod-none'), response.status)
  reading('unknown', String(response.status))
})
export const readsOnce: Latitude = {
  id: 'reads-once',
  says: 'There is no catalog.',
  change: (options) => options,
  file: (target) => ({ ...target, absent: { catalog: 'none here' } }),
}

/** Names the rule about the list for whatever becomes of one pod. */
export const excuses = scenario(opened, async ({ blocked, check, pods, reading }) => {
  const response = await pods.get('pod-none')
  if (response.status === 500) blocked(listed, 'a pod was answered 500')
  check('refused').status(response, 404, 410)
  reading('unknown', String(response.status))
})
export const podIs500: Defect = {
  ...defect('pod-answers-500', opened, 'refused', 'status 500'),
  wrap: (fetch) => async (request) =>
    request.url.endsWith('/pod-none') ? new Response('{}', { status: 500 }) : fetch(request),
}

export const whole: Catalog = { rules: [lists, named, opens], defects, latitudes: [gone, renamed] }

export function proveOf(options: ProveOptions) {
  return prove({ catalog: whole, ...options })
}

export function scenario(id: RuleId, run: Scenario['run']): Rule {
  return { kind: 'scenario', id, run, alone: false }
}

function defect(id: string, rule: RuleId, clause: string, observed: string): Defect {
  return { id, says: `${id}.`, rule, clause, observed }
}

function answering(rewrite: (text: string) => string): (fetch: Fetch) => Fetch {
  return (fetch) => async (request) => {
    const response = await fetch(request)
    return new Response(rewrite(await response.text()), response)
  }
}
