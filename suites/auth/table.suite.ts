import type { OperationId, PlaneName } from '../../generated/operations.ts'
import { claimOf, demand } from '../../harness/claims/claims.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess, textOf } from '../../harness/exchange/exchange.ts'
import type { Context } from '../../harness/rule/context.ts'
import { Blocked, orBlocked } from '../../harness/rule/outcome.ts'
import { rule } from '../../harness/rule/registry.ts'
import type { KeyName } from '../../target/types.ts'
import { endpoints } from './endpoints.ts'
import { lb } from './lb.ts'
import type { Arranged, AuthPlane } from './plane.ts'
import { pods } from './pods.ts'
import { queue } from './queue.ts'
import { type AuthRow, authTable, kinds, operationsIn, type Scope } from './table.ts'

const planes: Readonly<Record<PlaneName, AuthPlane>> = { pods, queue, lb, management: endpoints }

for (const row of authTable) rule(row.rule, planes[row.plane].options, (context) => judge(context, row))

/** Sends every request of a plane with every credential of a row. */
async function judge(context: Context, row: AuthRow): Promise<void> {
  const { check, vary } = context
  const { scope } = kinds[row.sent[0]]
  const offered = offeredIn(context, row.plane, scope)
  const arranged = await orBlocked(planes[row.plane].arrange(context, offered, scope, row.judges !== 'responses'))
  if (arranged instanceof Blocked) return judgeReads(context, row, arranged)
  const hidden: Pick<Arranged, 'secrets' | 'expectUnlisted' | 'excuse'> = scope === 'owned' ? arranged : {}
  await hidden.expectUnlisted?.()
  for (const { statuses, credentials } of row.sent.map((kind) => kinds[kind])) {
    for (const { send } of vary.ordered(arranged.requests)) {
      // Drawn for each request: together they try every form of a credential.
      for (const { clause, key, options } of credentials(context)) {
        const response = await send(key, options)
        if (row.judges === 'effects') continue
        if (key !== 'full' && !hidden.expectUnlisted) await inconclusiveIfUnknown(context, row.plane, key, response)
        await hidden.excuse?.(response)
        check(clause).status(response, ...statuses)
        const text = textOf(response.bytes) ?? ''
        const sent = textOf(response.exchange.request.body ?? new Uint8Array()) ?? ''
        for (const [what, secret] of Object.entries(hidden.secrets?.(response.status) ?? {})) {
          // A refusal may repeat what it refuses.
          const isTold = text.includes(secret) && !sent.includes(secret)
          check('not-told').that(!isTold, 'a refusal without any secret of the owner', what, response)
        }
      }
    }
  }
  if (row.judges !== 'responses') await arranged.expectNoEffect()
  await hidden.expectUnlisted?.()
  arranged.expectAllWorked()
}

/** If nothing can be created, judges the credentials by the lists alone; then the rule stays blocked. */
async function judgeReads(context: Context, row: AuthRow, blocked: Blocked): Promise<never> {
  const isJudged = kinds[row.sent[0]].scope === 'all' && row.judges !== 'effects'
  for (const { send } of isJudged ? (planes[row.plane].reads?.(context) ?? []) : []) {
    if (!isSuccess((await send('full')).status)) continue
    for (const { statuses, credentials } of row.sent.map((kind) => kinds[kind])) {
      for (const { clause, key, options } of credentials(context))
        context.check(clause).status(await send(key, options), ...statuses)
    }
  }
  throw blocked
}

/** The operations of a plane in a scope that the target offers. Throws Unclaimed or NotApplicable if it offers none. */
function offeredIn({ part, target }: Context, plane: PlaneName, scope: Scope): readonly OperationId[] {
  const { mayNot } = target.grants
  const { partOf } = planes[plane]
  const wanted = operationsIn(plane, scope).filter(
    (operation) => scope !== 'forbidden' || mayNot.includes(plane) || mayNot.includes(operation),
  )
  const offered = wanted.filter((operation) => partOf[operation] === undefined || part(partOf[operation]))
  if (offered.length > 0) return offered
  // What is not claimed may be offered all the same.
  const lacking = wanted.flatMap((operation) => partOf[operation] ?? [])
  const isUnclaimed = (need: string) => claimOf(target, need) === 'unclaimed'
  for (const need of [...lacking.filter(isUnclaimed), ...lacking]) demand(target, need)
  return offered
}

/** Ends the rule if a key is answered 401 and no other request shows that it is valid. */
async function inconclusiveIfUnknown(
  { as, inconclusive, offers }: Context,
  plane: PlaneName,
  key: KeyName,
  { status }: ApiResponse,
): Promise<void> {
  if (status !== 401) return
  // A load-balanced endpoint may know the keys of its owner alone.
  const isForeign = plane === 'lb' && key === 'stranger'
  const isKnown = !isForeign && offers('pods') && isSuccess((await as(key).list()).status)
  if (!isKnown) inconclusive(`the ${key} key is answered 401 and nothing shows that it is valid`)
}
