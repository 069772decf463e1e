import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { inconclusiveIfOutage, isRefusal } from '../../harness/rule/check.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { permissionsOf } from '../auth/permissions.ts'
import { expectTerminated } from '../pods/answers.ts'
import { usesNormalLooking } from '../shared/balanced.ts'
import { oneWorker } from '../shared/full-endpoint.ts'
import { oddEndpoints, oddLb, oddPods, oddQueue } from '../shared/odd-planes.ts'
import {
  alike,
  callOf,
  expectOdd,
  noSuchMethod,
  type OddPlane,
  type OddTable,
  odd,
  oddRequests,
  otherMethods,
  problemFault,
  unknownRoutes,
  withoutKey,
} from '../shared/odd-requests.ts'
import { expectUnchanged } from '../shared/unchanged.ts'

const onPods = { varies: [...anyPod, 'order', 'sample'] } as const
const onQueue = { varies: ['order', 'sample'], workers: oneWorker } as const
const onEndpoints = { varies: ['sample', 'look'] } as const
const ofManagement = { varies: ['order', 'sample', 'look'] } as const

rule('pods.route-unknown', onPods, async (context) => judge(context, await oddPods(context), unknownRoutes))

rule('queue.route-unknown', onQueue, async (context) => {
  const { check, queue } = context
  const plane = await oddQueue(context)
  check('operation').success(await queue.health())
  const path = plane.submit.path.replace(/\/[^/]*$/, '/plumbline')
  await judge(context, plane, {
    ...unknownRoutes,
    operation: {
      'GET of no operation': ({ read }) => odd(read, [404], { method: 'GET', path }),
      'POST of no operation': () => odd(plane.submit, [404], { path }),
    },
  })
  await plane.expectNotExecuted()
})

rule('endpoints.route-unknown', onEndpoints, async (context) =>
  judge(context, await oddEndpoints(context), unknownRoutes),
)

rule('auth.pods.odd-requests', onPods, async (context) => judge(context, await oddPods(context), withoutKey(context)))

rule('auth.pods.odd-permission', onPods, async (context) => {
  const { as, blocked, check, inconclusive, target } = context
  const plane = await oddPods(context)
  const forbidden = permissionsOf(target.grants.mayNot)
  const action = (['stop', 'restart', 'terminate'] as const).find((one) => forbidden.includes(one))
  if (action === undefined) inconclusive('restricted.mayNot names no action on a RUNNING pod')
  const act = { ...plane.act, body: { action } }
  const usual = await as('restricted').call('otherPodRoute', callOf(odd(act, ['4XX'], {})))
  if (isSuccess(usual.status)) blocked('auth.pods.forbidden', `${action} with the restricted key: ${usual.status}`)
  for (const [name, path] of Object.entries(alike)) {
    const response = await as('restricted').call('otherPodRoute', callOf(odd(act, ['4XX'], { path: path(act.path) })))
    check(name.replaceAll(' ', '-')).that(
      !isSuccess(response.status),
      'no success',
      `status ${response.status}`,
      response,
    )
  }
  await plane.expectNoEffect()
})

rule('auth.queue.odd-requests', onQueue, async (context) =>
  judge(context, await oddQueue(context), withoutKey(context)),
)

rule('auth.management.odd-requests', ofManagement, async (context) =>
  judge(context, await oddEndpoints(context), withoutKey(context)),
)

rule('auth.lb.odd-requests', usesNormalLooking, async (context) =>
  judge(context, await oddLb(context, 0), withoutKey(context)),
)

/** An id too long for many file systems and columns, in an address short enough for every server. */
const longId: OddTable = {
  'long-id': { 'long id': ({ read }) => odd(read, ['4XX'], { path: read.path + 'a'.repeat(1_500) }) },
}

rule('pods.odd-requests', onPods, async (context) => {
  const { check, pods, settle } = context
  const plane = await oddPods(context)
  await expectOdd(context, plane, { ...oddRequests, ...otherMethods, ...longId })
  await expectUnchanged(context, plane.pod)
  const { id } = plane.pod
  const response = await pods.call('deletePod', { ids: { id }, body: { action: 'stop' }, repeats: true })
  expectDeleteWithBody(context, response)
  if (!isSuccess(response.status) && response.status !== 404) return expectUnchanged(context, plane.pod)
  const rest = await settle(id, (status) => status === 'gone' || status === 'TERMINATED')
  expectTerminated(check('deleted'), rest.response)
})

rule('queue.odd-requests', onQueue, async (context) => judge(context, await oddQueue(context), oddRequests))

rule('queue.method-wrong', onQueue, async (context) => {
  const plane = await oddQueue(context)
  await judge(context, plane, {
    ...otherMethods,
    run: {
      'GET of a submission': ({ read }) => odd(read, noSuchMethod, { method: 'GET', path: plane.submit.path }),
      'PUT of a submission': () => odd(plane.submit, noSuchMethod, { method: 'PUT' }),
    },
    status: {
      'DELETE of a status': ({ read }) => odd(read, noSuchMethod, { method: 'DELETE' }),
      'PUT of a status': ({ read }) => odd(read, noSuchMethod, { method: 'PUT', body: { status: 'COMPLETED' } }),
    },
  })
  await plane.expectNotExecuted()
})

rule('endpoints.odd-requests', onEndpoints, async (context) => {
  const { on } = context
  const plane = await oddEndpoints(context)
  await expectOdd(context, plane, oddRequests)
  await plane.expectUnchanged()
  const response = await on('management').call('deleteEndpoint', { ids: { id: plane.id }, body: {}, repeats: true })
  expectDeleteWithBody(context, response)
  // It may have been sent again after a gateway answered.
  if (!isSuccess(response.status) && response.status !== 404) await plane.expectUnchanged()
})

rule('lb.odd-requests', usesNormalLooking, async (context) => {
  // An encoded slash is a matter of the worker's routes.
  const { 'encoded-slash': _, ...table } = oddRequests
  await judge(context, await oddLb(context, 1), table)
})

/** Errors that the description does not list, each of one kind. */
rule('errors.problem.any', async (context) => {
  const { check, inconclusive, notJudged } = context
  const { read, act, send } = await oddPods(context)
  const requests = {
    'unknown-route': odd(read, ['4XX'], { path: `${read.path}/plumbline` }),
    method: odd(act, ['4XX'], { method: 'PUT' }),
  }
  for (const [clause, request] of Object.entries(requests)) {
    const response = await send(request)
    // A server that does not know a method answers 501 (RFC 9110, 9.1), in a form of its own.
    if (response.status === 501 && clause === 'method') {
      notJudged(clause, 'a 501 may have a form of its own')
      continue
    }
    if (!isRefusal(response))
      inconclusive(`${request.method} was answered ${response.status}, which is no error of the API`)
    const fault = problemFault(response)
    check(clause).that(fault === null, 'a problem in application/problem+json', fault ?? '', response)
  }
})

/** A DELETE with a body that means nothing is carried out, or refused. */
function expectDeleteWithBody({ check, reading }: Context, response: ApiResponse): void {
  const { status } = response
  inconclusiveIfOutage(response)
  check('delete-body').that(isSuccess(status) || isRefusal(response), 'status 2XX or 4XX', `status ${status}`, response)
  reading('delete-body', isSuccess(status) ? 'served' : 'refused')
}

/** Each kind of request is answered as the table says, and has no effect. */
async function judge(context: Context, plane: OddPlane, table: OddTable): Promise<void> {
  await expectOdd(context, plane, table)
  await plane.expectNoEffect()
}
