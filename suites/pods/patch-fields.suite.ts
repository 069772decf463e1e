import { isSuccess } from '../../harness/exchange/exchange.ts'
import type { Members, PodView } from '../../harness/exchange/read.ts'
import type { Context } from '../../harness/rule/context.ts'
import { NotApplicable } from '../../harness/rule/outcome.ts'
import { rule } from '../../harness/rule/registry.ts'
import { anyPod } from '../../harness/variation/dimensions.ts'
import { shown } from '../shared/patching.ts'
import { expectUnchanged } from '../shared/unchanged.ts'
import { isShown } from './creation.ts'

/** A value of a field that a PATCH may change, and wrong ones. */
interface Values {
  readonly right: unknown
  readonly wrong: Readonly<Record<string, unknown>>
}

/** Without null, which may also mean that the field is to be removed. */
export const patchedFields: Readonly<Record<string, Values>> = {
  name: { right: 'plumbline-patched', wrong: { number: 7, list: ['plumbline'] } },
  args: { right: 'sleep 2', wrong: { number: 7, list: ['sleep', '2'] } },
  disk: { right: 25, wrong: { zero: 0, negative: -1, fraction: 25.5, text: '25' } },
  ports: {
    right: ['8081/http'],
    wrong: { 'no protocol': ['8081'], 'the second of two': ['8081/http', '9999'], text: '8081/http' },
  },
  env: { right: { PLUMBLINE: '1' }, wrong: { number: { PLUMBLINE: 7 }, list: ['PLUMBLINE=1'], text: 'PLUMBLINE=1' } },
  // The last one: a lock may keep other fields from being changed.
  locked: { right: true, wrong: { text: 'false', number: 0 } },
}

rule('pods.patch.fields', { varies: [...anyPod, 'part'] }, async (context) => {
  const { check, fixture, notJudged, pods, vary } = context
  let pod = await fixture.pod('EXITED')
  const kept: Record<string, unknown> = {}
  const names = vary.parts(Object.keys(patchedFields))
  for (const [name, { right, wrong }] of Object.entries(patchedFields).filter(([one]) => names.includes(one))) {
    const taken = await changedTo(context, pod, { [name]: right })
    if (taken === null) {
      notJudged(name, 'a PATCH does not change it')
      continue
    }
    kept[name] = taken.value[name]
    pod = { ...taken, value: { ...taken.value, ...kept } }
    for (const value of Object.values(wrong)) {
      const response = await pods.patch(pod.id, { [name]: value }, { mustBeRefused: true })
      check(name).status(response, 400, 422)
    }
  }
  if (Object.keys(kept).length === 0) throw new NotApplicable('a PATCH changes none of these fields')
  await expectUnchanged(context, pod)
  if ('env' in kept) await clearVariables(context, pod)
})

/** The pod once it shows a change; null if the PATCH is refused or not carried out. */
async function changedTo(context: Context, { id }: PodView, body: Members): Promise<PodView | null> {
  if (!isSuccess((await context.pods.patch(id, body)).status)) return null
  const isDone = (pod: PodView) => Object.entries(body).every(([name, value]) => isShown(name, value, pod))
  const { pod, settled } = await shown(context, id, isDone)
  return settled ? pod : null
}

/** The rules about every pod judge how the pod is shown without variables. */
async function clearVariables({ pods }: Context, { id }: PodView): Promise<void> {
  await pods.patch(id, { env: {} })
  await pods.get(id)
}
