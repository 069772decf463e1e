import '../all.ts'
import { expect, test } from 'vitest'
import { allRules } from '../../harness/rule/registry.ts'
import { is, onJson } from '../../proof/defects/tools.ts'
import { judgeOn } from '../../proof/judge.ts'

test.each([
  [
    'PROVISIONING',
    'STARTING',
    '; a shorter tolerances.poll may see one; if no pod can be seen in it, add absent: {pod.provisioning: REASON}',
  ],
  ['EXITED', 'ERROR', ''],
])(
  'pods that are not %s any more when they are looked at: the reason tells what to do about it',
  async (status, shown, advice) => {
    const rule = `pods.action.${status.toLowerCase()}.terminate`
    let looks = 0
    const moved = onJson(
      // The fixture itself sees the status once.
      (request) => is.get(request) && (status === 'PROVISIONING' || ++looks % 2 === 0),
      (json) => (json.status === status ? { ...json, status: shown } : json),
    )
    const [judgement] = await judgeOn({
      variants: [{ id: 'moves-on', says: 'Pods move on at once.', wrap: moved }],
      rules: allRules().filter(({ id }) => id === rule),
      // Other pods are looked at more often.
      given: {},
    })
    expect(judgement?.verdict).toBe('inconclusive')
    expect(judgement?.reason).toBe(`none of 4 pods was still in ${status} when it was asked to terminate${advice}`)
  },
)
