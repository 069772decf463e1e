import '../all.ts'
import { describe, expect, test } from 'vitest'
import { allRules } from '../../harness/rule/registry.ts'
import { judgeOn } from '../../proof/judge.ts'
import type { Variant } from '../../proof/types.ts'

/** Addresses of action bodies and submissions. */
const actionOrRun = /\/(action|run)$/
/** No address: only PATCHes are dropped. */
const nowhere = /^$/

/** The reference, which gives no response to these of its bodies; `nth` counts them. */
function dropping(isDropped: (body: string, nth: number) => boolean, paths: RegExp): Variant {
  return {
    id: 'drops-bodies',
    says: 'Some bodies have no response.',
    wrap: (fetch) => {
      let nth = 0
      return async (request) => {
        const isBody = request.method === 'PATCH' || paths.test(request.url)
        if (isBody && isDropped(await request.clone().text(), ++nth)) throw new Error('closed')
        return fetch(request)
      }
    },
  }
}

/** A variant that answers 500 to bodies with a number 7. */
function answering500({ wrap, ...rest }: Variant): Variant {
  return {
    ...rest,
    wrap: (fetch) => async (request) => {
      const text = await request.clone().text()
      return text.includes(':7') ? new Response(null, { status: 500 }) : (wrap?.(fetch) ?? fetch)(request)
    },
  }
}

const rules = (...ids: readonly string[]) => allRules().filter(({ id }) => ids.includes(id))

test('an outage is the reason, and not the pod that it keeps from being made', async () => {
  let patches = 0
  const outage: Variant = {
    id: 'outage-later',
    says: 'From the fourth PATCH on, everything is answered 503.',
    wrap: (fetch) => async (request) => {
      if (request.method === 'PATCH') patches++
      return patches < 4 ? fetch(request) : new Response(null, { status: 503 })
    },
  }
  const [judgement] = await judgeOn({ variants: [outage], rules: rules('pods.patch.fuzz') })
  const reason = 'the target answered 503, which is an outage and shows nothing'
  expect(judgement).toMatchObject({ verdict: 'inconclusive', reason })
})

test('bodies without a response do not keep the requests of another rule from being sent', async () => {
  const variants = [dropping((body) => !/"input":\{|"action"/.test(body), actionOrRun)]
  const judgements = await judgeOn({ variants, rules: rules('pods.action.exited.start', 'queue.body.fuzz'), given: {} })
  const verdicts = Object.fromEntries(judgements.map(({ rule, verdict }) => [rule, verdict]))
  expect(verdicts).toEqual({ 'pods.action.exited.start': 'passed', 'queue.body.fuzz': 'inconclusive' })
})

describe.each([
  [
    'pods.action-body.fuzz',
    '"plumbline":null',
    '{"action":"stop","plumbline":null} (at $ an unknown property',
    actionOrRun,
  ],
  ['pods.patch.fuzz', '"plumbline":null', '"plumbline":null}} (at $.mounts an unknown property', nowhere],
  ['queue.body.fuzz', '"input":null', '{"input":null} (at $.input it is null)', actionOrRun],
  ['pods.create.fuzz', '"plumbline":null', 'an unknown property', /\/pods$/],
])('%s', (id, dropped, said, paths) => {
  const judged = async (variant: Variant) => {
    const [judgement] = await judgeOn({ variants: [variant], rules: rules(id) })
    return judgement
  }

  test('passes where now and then a body has no response the first time', async () => {
    const dropped = new Set<string>()
    const isFirst = (body: string) => dropped.size < dropped.add(body).size
    const judgement = await judged(dropping((body, nth) => nth % 7 === 0 && isFirst(body), paths))
    expect(dropped.size).toBeGreaterThan(5)
    expect(judgement).toMatchObject({ verdict: 'passed', findings: [] })
  })

  test('is inconclusive where a body never has one, and sends it twice', async () => {
    const sent: string[] = []
    const isDropped = (body: string) => body.includes(dropped) && sent.push(body) > 0
    const judgement = await judged(dropping(isDropped, paths))
    expect(sent.filter((body) => body === sent[0])).toHaveLength(2)
    expect(judgement).toMatchObject({ verdict: 'inconclusive', findings: [] })
    expect(judgement?.reason).toContain(said)
    expect(judgement?.reason).toContain(' had no complete response: ')
  })

  test('fails where one body never has one and another is answered 500', async () => {
    const judgement = await judged(answering500(dropping((body) => body.includes(dropped), paths)))
    expect(judgement).toMatchObject({
      verdict: 'failed',
      findings: [{ observed: expect.stringContaining('status 500') }],
    })
  })
})
