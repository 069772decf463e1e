import { type OperationFacts, type OperationId, operations, type PlaneName } from '../../generated/operations.ts'
import type { RuleId } from '../../generated/rules.ts'
import { nearKeys } from '../../harness/common/mutate.ts'
import { defaultKeys } from '../../reference/auth/accounts.ts'
import { authTable, kinds, operationsIn } from '../../suites/auth/table.ts'
import type { Defect } from '../types.ts'
import { seen } from './action-tools.ts'
import { both, credentials, isRestricted, isStranger, lets, refusesAndDoes, tokenIs, type When } from './auth-tools.ts'
import { all, defect, part, requestOf } from './tools.ts'

type Word = keyof typeof credentials

/** Ids that are older than the table. The key is plane, credential and operation. */
const older: Readonly<Record<string, string>> = {
  'queue no-key getEndpointHealth': 'health-without-key',
  'queue unissued-key getJobStatus': 'any-key-sees-status',
  'queue stranger runJob': 'stranger-runs-job',
  'pods no-key listCpuFlavors': 'no-key-accepted',
  'pods unissued-key listPods': 'unissued-key-accepted',
  'pods altered-key listPods': 'altered-key-accepted',
  'pods longer-key createPod': 'longer-key-accepted',
  'pods expired-key triggerPodAction': 'expired-key-accepted',
  'pods bare-key getPod': 'bare-key-accepted',
  'pods stranger getPod': 'stranger-reads-pod',
}

/** Operations of the second endpoint, and a part of their addresses. */
const atSecond = {
  lb: [['postRoute', '/lb/second/']],
  queue: [['runJob', '/v2/second/']],
} as const

/** Findings on operations that are refused and carried out. */
const cancelled = ['cancelJob', 'unchanged', 'CANCELLED'] as const
const streamed = ['streamJob', 'unread', 'not that part'] as const
const purged = ['purgeQueue', 'unchanged', 'status 404'] as const
const started = ['triggerPodAction', 'unchanged', seen('EXITED', 'STARTING')] as const
const runs = ['triggerPodAction', 'unchanged', seen('EXITED', 'RUNNING')] as const
const podCreated = ['createPod', 'not-created', 'the pod whose creation was refused'] as const
const podDeleted = ['deletePod', 'unchanged', 'status 404: it is gone'] as const
const updated = ['updateEndpoint', 'unchanged', 'idleTimeout 15'] as const
const deleted = ['deleteEndpoint', 'unchanged', 'status 404'] as const
const created = ['createEndpoint', 'not-created', 'the endpoint whose creation was refused'] as const

/** Operations that are served, or refused and carried out, with a credential that must be refused. */
export const authOperations: readonly Defect[] = [
  ...rowsOf('pods', 'queue', 'lb', 'management')
    .filter(({ judges }) => judges !== 'effects')
    .flatMap((row) =>
      operationsIn(row.plane, row.scope).map((operation) =>
        served(idOf(row, operation), row.rule, row.word, operation),
      ),
    ),
  served('key-by-its-beginning', 'auth.queue.invalid', 'altered-key'),
  served('key-by-its-length', 'auth.queue.invalid', 'longer-key'),
  ...(['pods', 'queue', 'lb', 'management'] as const).flatMap((plane) =>
    (['shortened', 'recased'] as const).map((form) =>
      defect(`${form}-key-accepted-${plane}`, `auth.${plane}.invalid`, 'altered', {
        says: `A key ${form === 'recased' ? 'in the other case' : 'without its last character'} is accepted on the plane ${plane}.`,
        observed: 'status 200',
        variation: { sample: form },
        change: lets(tokenIs(nearKeys[form](defaultKeys.full))),
      }),
    ),
  ),
  defect('stranger-sees-completed-job', 'auth.queue.hidden', 'refused', {
    says: 'The status of a job that is COMPLETED is shown to another account.',
    observed: 'status 200',
    change: (base) => {
      const isOver = new Set<string>()
      return all(
        part('finishJob', (next, job) => {
          isOver.add(job.id)
          next()
        }),
        lets(both(isStranger, isOf('getJobStatus'), ({ url }) => isOver.has(url.split('/').at(-1) ?? ''))),
      )(base)
    },
  }),
  ...(['lb', 'queue'] as const).flatMap((plane) =>
    (
      [
        ['unissued-key', 'invalid'],
        ['stranger', 'hidden'],
      ] as const
    ).flatMap(([word, kind]) =>
      atSecond[plane].map(([operation, at]) =>
        defect(`${word}-served-at-second-${plane}-${kebab(operation)}`, `auth.${plane}.${kind}`, 'refused', {
          says: `${operation} of the second endpoint is served ${credentials[word].says}.`,
          observed: 'status 200',
          variation: { sample: operation },
          change: lets(both(credentials[word].when, isOf(operation), ({ url }) => url.includes(at))),
        }),
      ),
    ),
  ),
  served('bearer-without-token-accepted', 'auth.pods.malformed', 'no-token', 'getPod'),
  served('empty-authorization-accepted-for-actions', 'auth.pods.malformed', 'empty-header', 'triggerPodAction'),
  defect('restricted-key-reads-jobs-and-cancels', 'auth.queue.forbidden', 'refused', {
    says: 'cancelJob is served with a key that may read jobs and may not cancel them.',
    observed: 'status 200',
    change: lets(both(isRestricted, ({ url }) => /\/(status|cancel)\//.test(url))),
    file: (target) => ({ ...target, grants: { may: [], mayNot: ['cancelJob'] } }),
  }),
  served('restricted-key-deletes', 'auth.pods.forbidden', 'restricted', 'deletePod'),

  carriedOut('no-key-refused-and-cancels', 'auth.queue.no-effect', 'no-key', cancelled),
  carriedOut('no-key-refused-and-runs', 'auth.queue.no-effect', 'no-key', ran('runJob')),
  carriedOut('no-key-refused-and-runs-later', 'auth.queue.no-effect', 'no-key', ran('runJob'), 10_000),
  carriedOut('scheme-alone-refused-and-runs', 'auth.queue.malformed', 'no-token', ran('runJob')),
  carriedOut('empty-header-refused-and-cancels', 'auth.queue.malformed', 'empty-header', cancelled),
  carriedOut('expired-key-refused-and-cancels', 'auth.queue.expired', 'expired-key', cancelled),
  carriedOut('expired-key-refused-and-runs', 'auth.queue.expired', 'expired-key', ran('runJob')),
  carriedOut('restricted-key-refused-and-cancels', 'auth.queue.forbidden', 'restricted', cancelled),
  carriedOut('restricted-key-refused-and-runs', 'auth.queue.forbidden', 'restricted', ran('runJob')),
  carriedOut('restricted-key-refused-and-runs-later', 'auth.queue.forbidden', 'restricted', ran('runJob'), 10_000),
  carriedOut('no-key-refused-and-retries', 'auth.queue.no-effect', 'no-key', ran('retryJob')),
  carriedOut('invalid-key-refused-and-cancels', 'auth.queue.no-effect', 'altered-key', cancelled),
  carriedOut('invalid-key-refused-and-runs', 'auth.queue.no-effect', 'altered-key', ran('runJobSync')),
  carriedOut('stranger-refused-and-cancels', 'auth.queue.hidden-no-effect', 'stranger', cancelled),
  carriedOut('no-key-refused-and-purges', 'auth.queue.no-effect', 'no-key', purged),
  carriedOut('expired-key-refused-and-purges', 'auth.queue.expired', 'expired-key', purged),
  carriedOut('restricted-key-refused-and-purges', 'auth.queue.forbidden', 'restricted', purged),
  carriedOut('stranger-refused-and-purges', 'auth.queue.hidden-no-effect', 'stranger', purged),
  carriedOut('stranger-refused-and-runs', 'auth.queue.hidden-no-effect', 'stranger', ran('runJob')),
  carriedOut('stranger-refused-and-asks-openai', 'auth.queue.hidden-no-effect', 'stranger', ran('callOpenaiRoute')),
  ...(
    [
      ['no-key', 'auth.queue.no-effect'],
      ['empty-header', 'auth.queue.malformed'],
      ['expired-key', 'auth.queue.expired'],
      ['restricted', 'auth.queue.forbidden'],
      ['stranger', 'auth.queue.hidden-no-effect'],
    ] as const
  ).flatMap(([word, rule]) => [
    carriedOut(`${word}-refused-and-streams`, rule, word, streamed),
    defect(`${word}-refused-and-cancels-waiting`, rule, 'unchanged', {
      says: `The /cancel of a job that waits is refused ${credentials[word].says}, and carried out.`,
      observed: 'CANCELLED',
      change: refusesAndDoes(both(credentials[word].when, isOf('cancelJob'), ({ url }) => url.includes('/dedicated/'))),
    }),
  ]),
  carriedOut('malformed-refused-and-starts', 'auth.pods.malformed', 'empty-header', started),
  carriedOut('malformed-refused-and-starts-later', 'auth.pods.malformed', 'empty-header', runs, 60_000),
  carriedOut('restricted-key-refused-and-deletes', 'auth.pods.forbidden', 'restricted', podDeleted),
  carriedOut('restricted-key-refused-and-creates', 'auth.pods.forbidden', 'restricted', podCreated),
  ...rowsOf('pods').flatMap(({ rule, word, scope }) => [
    carriedOut(`${word}-refused-and-starts`, rule, word, started),
    carriedOut(`${word}-refused-and-starts-later`, rule, word, runs, 60_000),
    carriedOut(`${word}-refused-and-deletes`, rule, word, podDeleted),
    ...(scope === 'all' ? [carriedOut(`${word}-refused-and-creates`, rule, word, podCreated)] : []),
  ]),

  ...rowsOf('management').flatMap(({ rule, word, scope }) => {
    const sent = operationsIn('management', scope)
    const effects = [created, updated, deleted].filter(([operation]) => sent.includes(operation))
    const idFor = ([operation]: Effect) => `${word}-refused-and-does-${kebab(operation)}`
    return [
      ...effects.map((effect) => carriedOut(idFor(effect), rule, word, effect)),
      ...[updated, deleted].map((effect) => carriedOut(`${idFor(effect)}-later`, rule, word, effect, 1_000)),
    ]
  }),

  ...rowsOf('lb').map(({ rule, word, kind, clause, scope }) => {
    const id = scope === 'all' ? `lb-${kind}-${clause}` : `lb-${kind}`
    return carriedOut(`${id}-refused-and-reached`, rule, word, ['getRoute', 'not-reached', 'it reached the worker 1×'])
  }),
]

type Row = ReturnType<typeof rowsOf>[number]

/** The rules of some planes, once for each of their credentials. */
function rowsOf(...planes: readonly PlaneName[]) {
  const all = Object.entries(credentials) as [Word, (typeof credentials)[Word]][]
  return authTable
    .filter(({ plane }) => planes.includes(plane))
    .flatMap((row) => all.map(([word, credential]) => ({ ...row, word, ...credential })))
    .filter(({ sent, kind }) => sent.includes(kind))
    .map((row) => ({ ...row, scope: kinds[row.kind].scope }))
}

/** The id of the defect that an operation is served. */
function idOf({ plane, word, kind, clause, scope }: Row, operation: OperationId): string {
  if (plane === 'management') return `${word}-serves-${kebab(operation)}`
  if (plane !== 'lb') return older[`${plane} ${word} ${operation}`] ?? `${plane}-${word}-serves-${kebab(operation)}`
  const request = operation.replace(/Worker|Route/, '')
  return scope === 'all' ? `lb-${kind}-${clause}-serves-${request}` : `lb-${kind}-served-${request}`
}

/** An operation, or every one, is served with a credential. */
function served(id: string, rule: RuleId, word: Word, operation?: OperationId): Defect {
  const { clause, says, when } = credentials[word]
  const { success = [200] }: Partial<OperationFacts> = operation === undefined ? {} : operations[operation]
  return defect(id, rule, clause, {
    says: `${operation ?? 'Every operation'} is served ${says}.`,
    observed: `status ${success[0]}`,
    change: lets(operation === undefined ? when : both(when, isOf(operation))),
  })
}

type Effect = readonly [operation: OperationId, clause: string, observed: string]

/** An operation is refused with a credential, and carried out at once or so many ms later. */
function carriedOut(id: string, rule: RuleId, word: Word, [operation, clause, observed]: Effect, ms = 0): Defect {
  const { says, when } = credentials[word]
  return defect(id, rule, clause, {
    says: `${operation} is refused ${says}, and carried out ${ms === 0 ? 'at once' : `${ms / 1_000} s later`}.`,
    observed,
    change: refusesAndDoes(both(when, isOf(operation)), ms),
  })
}

function ran(operation: OperationId): Effect {
  return [operation, 'not-executed', 'an execution of one']
}

/** A request of an operation; of a route, as the rules name it. */
function isOf(operation: OperationId): When {
  const { method, path }: OperationFacts = operations[operation]
  if (operation === 'callOpenaiRoute') return ({ url }) => url.includes('/openai/')
  if (!path.startsWith('/v'))
    return (request) => request.method === method && request.url.endsWith(path.replace('{route}', '/plumbline/echo'))
  return requestOf(operation)
}

function kebab(operation: OperationId): string {
  if (operation === 'listEndpoints') return 'list'
  return operation.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)
}
