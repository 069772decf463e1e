import { expect, it } from 'vitest'
import type { RuleId } from '../../generated/rules.ts'
import { defaultTolerances } from '../../target/tolerances.ts'
import { everything } from '../jobs.ts'
import { judgeOn } from '../judge.ts'
import type { Fetch, Variant } from '../types.ts'
import { showsLate } from './changes.ts'
import { latitude } from './tools.ts'

// A refusal tells something only where the positive twin of the request works. On each of these servers it does not,
// and nothing that is wrong can be told from what is right: that is no pass.

const { rules } = everything()

it.each<{ rule: RuleId; server: string; wrap: NonNullable<Variant['wrap']> }>([
  { rule: 'pods.action.unknown-pod', server: 'every action call is 404', wrap: actions(404) },
  { rule: 'pods.action-body.no-effect', server: 'every action call is 404', wrap: actions(404) },
  { rule: 'pods.action-body.no-effect', server: 'every action call is 400', wrap: actions(400) },
  { rule: 'pods.action-body.oversize', server: 'every action call is 404', wrap: actions(404) },
  { rule: 'pods.action-body.oversize', server: 'every action call is 413', wrap: actions(413) },
  { rule: 'auth.pods.hidden', server: 'the list of another account is 401', wrap: listOfStranger(401) },
  { rule: 'auth.pods.hidden', server: 'the list of another account is 200 without a list', wrap: listOfStranger(200) },
  { rule: 'auth.pods.hidden', server: 'every list is empty', wrap: emptyLists },
  { rule: 'auth.pods.missing', server: 'every list is empty', wrap: emptyLists },
  { rule: 'queue.execution-timeout.not-early', server: 'no end of a job is seen in time', wrap: neverEnded },
  { rule: 'queue.execution-timeout.not-queued', server: 'no end of a job is seen in time', wrap: neverEnded },
])('$rule is inconclusive where $server', ({ rule, wrap }) => expectInconclusive(rule, { wrap }))

it.each<RuleId>(['auth.pods.missing', 'auth.pods.expired', 'auth.pods.forbidden', 'auth.pods.invalid'])(
  '%s is inconclusive where a change is seen when nobody waits for it any more',
  (rule) => expectInconclusive(rule, { change: showsLate(defaultTolerances.visibleMs + 500) }),
)

async function expectInconclusive(rule: RuleId, wrong: Pick<Variant, 'wrap' | 'change'>): Promise<void> {
  const variants = [latitude('twin', 'It does not work.', { ...wrong })]
  const [judgement] = await judgeOn({ variants, rules: rules.filter(({ id }) => id === rule) })
  expect(judgement).toMatchObject({ rule, verdict: 'inconclusive' })
}

function actions(status: number): (fetch: Fetch) => Fetch {
  return answered((request) => request.url.endsWith('/action'), status, { title: 'No', status, detail: 'never' })
}

function listOfStranger(status: number): (fetch: Fetch) => Fetch {
  const isMeant = (request: Request) => isList(request) && /stranger/.test(request.headers.get('authorization') ?? '')
  return answered(isMeant, status, { title: 'No', status, detail: 'never' })
}

function emptyLists(fetch: Fetch): Fetch {
  return answered((request) => isList(request) && request.headers.has('authorization'), 200, { pods: [] })(fetch)
}

function neverEnded(fetch: Fetch): Fetch {
  return async (request) => {
    const response = await fetch(request)
    if (!request.url.includes('/status/')) return response
    return new Response((await response.text()).replace('"COMPLETED"', '"IN_PROGRESS"'), response)
  }
}

function isList({ method, url }: Request): boolean {
  return method === 'GET' && url.endsWith('/v2/pods')
}

function answered(isMeant: (request: Request) => boolean, status: number, body: object): (fetch: Fetch) => Fetch {
  return (fetch) => async (request) => (isMeant(request) ? Response.json(body, { status }) : fetch(request))
}
