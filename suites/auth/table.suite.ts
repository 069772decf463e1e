import { type OperationId, operations, operationsOf, type PlaneName } from '../../generated/operations.ts'
import type { ApiResponse } from '../../harness/client/api-response.ts'
import { isSuccess, textOf } from '../../harness/exchange/exchange.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import type { KeyName } from '../../target/types.ts'
import { kinds, type Scope } from './credentials.ts'
import { endpoints } from './endpoints.ts'
import { lb } from './lb.ts'
import type { AuthPlane } from './plane.ts'
import { pods } from './pods.ts'
import { queue } from './queue.ts'
import { type AuthRow, authTable } from './table.ts'

const planes: Readonly<Record<PlaneName, AuthPlane>> = { pods, queue, lb, management: endpoints }

for (const row of authTable) rule(row.rule, planes[row.plane].options, (context) => judge(context, row))

/** Sends every request of a plane with every credential of a row. */
async function judge(context: Context, { plane, sent, judges }: AuthRow): Promise<void> {
  const { check, vary } = context
  const { scope } = kinds[sent[0]]
  const arranged = await planes[plane].arrange(context, operationsIn(context, plane, scope), scope)
  const { requests, excuse, expectUnlisted, secrets } = arranged
  await expectUnlisted?.()
  for (const { statuses, credentials } of sent.map((kind) => kinds[kind])) {
    for (const { clause, key, options } of credentials(context)) {
      for (const { send } of vary.ordered(requests)) {
        const response = await send(key, options)
        if (judges === 'effects') continue
        if (key !== 'full' && expectUnlisted === undefined) await inconclusiveIfUnknown(context, plane, key, response)
        await excuse?.(response)
        check(clause).status(response, ...statuses)
        const text = textOf(response.bytes) ?? ''
        for (const [what, secret] of Object.entries(secrets?.(response.status) ?? {}))
          check('not-told').that(!text.includes(secret), 'a refusal without any secret of the owner', what, response)
      }
    }
  }
  if (judges !== 'responses') await arranged.expectNoEffect()
  await expectUnlisted?.()
  arranged.expectAllWorked()
}

/** The operations of a plane in a scope that the target offers. */
function operationsIn({ part, target }: Context, plane: PlaneName, scope: Scope): readonly OperationId[] {
  const { mayNot } = target.grants
  const isIn = {
    all: () => true,
    // A load-balanced endpoint is a host, not a placeholder of the path.
    owned: (operation: OperationId) => plane === 'lb' || operations[operation].path.includes('{'),
    forbidden: (operation: OperationId) => mayNot.includes(plane) || mayNot.includes(operation),
  }[scope]
  return (Object.keys(operationsOf(plane)) as OperationId[]).filter((operation) => {
    const need = planes[plane].partOf[operation]
    return isIn(operation) && (need === undefined || part(need))
  })
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
