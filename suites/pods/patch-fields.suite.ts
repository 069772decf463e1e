import { isSuccess } from '../../harness/exchange/exchange.ts'
import { type Members, membersOf, type PodView, textIn } from '../../harness/exchange/read.ts'
import { changeOf } from '../../harness/planes/pods/fixtures/change.ts'
import type { Context } from '../../harness/rule/context.ts'
import { NotApplicable } from '../../harness/rule/outcome.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { shown } from '../shared/patching.ts'
import { expectUnchanged } from '../shared/unchanged.ts'
import { isShown } from './creation.ts'

/** Values of a field that a PATCH may change. */
interface Values {
  /** Another value than that of the pod. */
  readonly right: (pod: Members) => unknown
  /** Sent once the pod has the right one; default: nothing. */
  readonly back?: unknown
  readonly wrong: Readonly<Record<string, unknown>>
}

/** Without null, which may also mean that the field is to be removed. */
export const patchedFields: Readonly<Record<string, Values>> = {
  name: { right: ({ name }) => `${textIn(name)}-patched`, wrong: { number: 7, list: ['plumbline'] } },
  args: { right: ({ args }) => `${textIn(args ?? '')} patched`.trim(), wrong: { number: 7, list: ['sleep', '2'] } },
  disk: { right: ({ disk }) => Number(disk) + 10, wrong: { zero: 0, negative: -1, fraction: 25.5, text: '25' } },
  ports: {
    right: () => ['8081/http'],
    wrong: { 'no protocol': ['8081'], 'the second of two': ['8081/http', '9999'], text: '8081/http' },
  },
  env: {
    right: ({ env }) => ({ ...membersOf(env), PLUMBLINE_PATCHED: '1' }),
    wrong: { number: { PLUMBLINE: 7 }, list: ['PLUMBLINE=1'], text: 'PLUMBLINE=1' },
  },
  // A locked pod may refuse a PATCH because of the lock.
  locked: { right: () => true, back: false, wrong: { text: 'true', number: 1 } },
}

rule('pods.patch.fields', { varies: [...anyPod, 'part'] }, async (context) => {
  const { check, fixture, notJudged, pods, vary } = context
  let pod = await fixture.pod('EXITED')
  const names = vary.parts(Object.keys(patchedFields))
  const judged: string[] = []
  for (const [name, { right, back, wrong }] of Object.entries(patchedFields).filter(([one]) => names.includes(one))) {
    let isChanged = true
    for (const value of [right(pod.value), ...(back === undefined ? [] : [back])]) {
      const isOther = !isShown(name, value, pod)
      pod = await patched(context, pod, name, value)
      isChanged &&= isOther && isShown(name, value, pod)
    }
    if (!isChanged) {
      notJudged(name, 'a PATCH does not change it')
      continue
    }
    judged.push(name)
    for (const value of Object.values(wrong)) {
      const response = await pods.patch(pod.id, { [name]: value }, { mustBeRefused: true })
      // A pod with a name that is not of this run would not be removed.
      if (name === 'name' && isSuccess(response.status)) await pods.patch(pod.id, { name: pod.value.name })
      check(name).status(response, 400, 422)
    }
    if (name !== 'name') {
      // A right member beside it is not carried out either.
      const body = { ...changeOf(context, pod, 'e', 'name'), [name]: Object.values(wrong)[0] }
      check(name).status(await pods.patch(pod.id, body, { mustBeRefused: true }), 400, 422)
    }
    check('unchanged').sameAs(await pods.get(pod.id), pod)
  }
  if (judged.length === 0) throw new NotApplicable('a PATCH changes none of these fields')
  await expectUnchanged(context, pod)
  if (judged.includes('env')) await clearVariables(context, pod)
})

/** The pod after a PATCH of a field: as it was if that is refused, else as it is read once it shows the value or has had time to. */
async function patched(context: Context, before: PodView, name: string, value: unknown): Promise<PodView> {
  const { status } = await context.pods.patch(before.id, { [name]: value })
  if (!isSuccess(status)) return before
  return (await shown(context, before.id, (seen) => isShown(name, value, seen))).pod ?? before
}

/** The rules about every pod judge how the pod is shown without variables. */
async function clearVariables({ pods }: Context, { id }: PodView): Promise<void> {
  await pods.patch(id, { env: {} })
  await pods.get(id)
}
