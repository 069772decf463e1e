import type { OperationId } from '../../generated/operations.ts'
import type { RuleId } from '../../generated/rules.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import type { Defect, Fetch } from '../types.ts'
import { authorized, isMissing } from './auth-tools.ts'
import { defect, type Json, jsonOf, requestOf, type Wrap, withBody } from './tools.ts'

/** An operation with a body, and what its rule observes. */
interface Bodied {
  readonly operation: OperationId
  readonly rule: RuleId
  readonly clause: string
  readonly what: string
  /** The body as the defect misreads it. */
  readonly misread: (body: Json) => Json
  readonly misreadAs: string
  /** Body with which a refused request is carried out; default: its own. */
  readonly carriedOut?: (body: Json) => Json
  /** The clause and the observation of a refused request that takes effect. */
  readonly effect: readonly [clause: string, observed: string]
  /** Status of a success; missing if the rule sends no request without a key. */
  readonly done?: number
  /** The observation if a request is accepted with an empty object and not carried out; missing for a PATCH. */
  readonly dropped?: string
}

const bodied: readonly Bodied[] = [
  {
    operation: 'createPod',
    rule: 'pods.create.media-type',
    clause: 'creation',
    what: 'creation of a pod',
    misread: (body) => ({ ...body, image: 'default' }),
    misreadAs: 'another image',
    effect: ['no-pod', 'a pod of: another content type'],
    dropped: 'no pod',
    done: 201,
  },
  {
    operation: 'updatePod',
    rule: 'pods.patch.media-type',
    clause: 'patch',
    what: 'PATCH of a pod',
    misread: () => ({}),
    misreadAs: 'another name',
    carriedOut: () => ({ args: 'other' }),
    effect: ['unchanged', 'args "other"'],
  },
  ...(
    [
      ['runJob', 'run'],
      ['runJobSync', 'runsync'],
    ] as const
  ).map(
    ([operation, clause]): Bodied => ({
      operation,
      rule: 'queue.body.media-type',
      clause,
      what: `submission to /${clause}`,
      misread: () => ({ input: {} }),
      misreadAs: '{}',
      effect: ['not-executed', 'an execution'],
      dropped: 'no id',
      done: 200,
    }),
  ),
  {
    operation: 'createEndpoint',
    rule: 'endpoints.create-media-type',
    clause: 'creation',
    what: 'creation of an endpoint',
    misread: ({ idleTimeout: _, ...rest }) => rest,
    misreadAs: 'another idleTimeout',
    effect: ['not-created', 'the endpoint whose creation was refused'],
    dropped: 'no endpoint',
    done: 200,
  },
  {
    operation: 'updateEndpoint',
    rule: 'endpoints.update-media-type',
    clause: 'update',
    what: 'update of an endpoint',
    misread: () => ({}),
    misreadAs: 'another idleTimeout',
    effect: ['unchanged', 'another idleTimeout'],
  },
]

const same = (body: Json) => body

/** Faults with JSON bodies whose Content-Type is not JSON. */
export const mediaType: readonly Defect[] = bodied.flatMap((one) => {
  const { operation, rule, clause, what, misread, misreadAs, carriedOut = same, effect, done, dropped } = one
  const is = requestOf(operation)
  const onOther =
    (serve: (request: Request, fetch: Fetch) => Promise<Response>): Wrap =>
    (fetch) =>
    (request) => {
      const type = request.headers.get('content-type')
      return is(request) && type !== null && type !== 'application/json' ? serve(request, fetch) : fetch(request)
    }
  return [
    defect(`${slug(operation)}-as-text-500`, rule, clause, {
      says: `A ${what} with another content type is answered 500.`,
      observed: 'status 500',
      wrap: onOther(async () => refusal(500)),
    }),
    defect(`${slug(operation)}-as-text-html`, rule, 'form', {
      says: `A ${what} with another content type is refused with an HTML page.`,
      observed: 'text/html',
      wrap: onOther(
        async () => new Response('<h1>error</h1>', { status: 400, headers: { 'content-type': 'text/html' } }),
      ),
    }),
    defect(`${slug(operation)}-as-text-misread`, rule, 'read-as-json', {
      says: `A ${what} with another content type is accepted, and not read as JSON.`,
      observed: misreadAs,
      wrap: onOther(async (request, fetch) => fetch(withBody(request, misread((await jsonOf(request)) ?? {})))),
    }),
    defect(`${slug(operation)}-as-text-refused-and-done`, rule, effect[0], {
      says: `A ${what} with another content type is refused, and carried out.`,
      observed: effect[1],
      wrap: onOther(async (request, fetch) => {
        await fetch(withBody(request, carriedOut((await jsonOf(request)) ?? {})))
        return refusal(400)
      }),
    }),
    ...(dropped === undefined
      ? []
      : [
          defect(`${slug(operation)}-as-text-dropped`, rule, 'read-as-json', {
            says: `A ${what} with another content type is answered ${done} with an empty object, and not carried out.`,
            observed: dropped,
            wrap: onOther(async (request, fetch) =>
              isMissing(request) ? fetch(request) : Response.json({}, { status: done ?? 200 }),
            ),
          }),
        ]),
    ...(done === undefined
      ? []
      : [
          defect(`${slug(operation)}-as-text-needs-no-key`, rule, 'key', {
            says: `A ${what} with another content type needs no key.`,
            observed: `status ${done}`,
            wrap: onOther((request, fetch) =>
              fetch(isMissing(request) ? authorized(request, `Bearer ${defaultKeys.full}`) : request),
            ),
          }),
        ]),
  ]
})

/** `createPod` as `create-pod`. */
function slug(operation: string): string {
  return operation.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

function refusal(status: number): Response {
  const body = JSON.stringify({ title: 'a', status, detail: 'b', error: 'c' })
  return new Response(body, { status, headers: { 'content-type': 'application/problem+json' } })
}
