import { describe, expect, it } from 'vitest'
import { type JudgedRule, judgeRun, notSelected, type RunFacts } from './verdict.ts'

function rule(verdict: JudgedRule['verdict'], more: Partial<JudgedRule> = {}): JudgedRule {
  return { profile: 'core', level: 'must', verdict, reason: null, accepted: false, unjudged: [], ...more }
}

function facts(rules: readonly JudgedRule[], more: Partial<RunFacts> = {}): RunFacts {
  return { rules, known: [], profiles: ['core'], strict: false, ended: true, stopped: null, ...more }
}

const passed = rule('passed')
const inPart = { unjudged: [{ verdict: 'unclaimed' }] } as const
const table: [name: string, given: RunFacts, exit: number, line: string][] = [
  [
    'all verified',
    facts([passed, rule('observed'), rule('unclaimed'), rule('not-applicable')]),
    0,
    'conformant: core (2 of 3 must rules verified, 1 unclaimed, 1 not applicable)',
  ],
  [
    'the server failed',
    facts([passed], { serverEnd: 'the server ended with exit code 3 during the run' }),
    3,
    'incomplete: core (1 of 1 must rules verified, 0 unclaimed); the server ended with exit code 3 during the run',
  ],
  [
    'the server failed, and a must',
    facts([rule('failed')], { serverEnd: 'the server was ended by SIGKILL during the run' }),
    1,
    'not conformant: core (1 of 1 must rules verified, 0 unclaimed); 1 must rule failed; the server was ended by SIGKILL during the run',
  ],
  [
    'the target stopped responding',
    facts([
      passed,
      rule('inconclusive', { reason: 'no complete response: not sent, because 8 requests in a row had no response' }),
    ]),
    3,
    'incomplete: core (1 of 2 must rules verified, 0 unclaimed); the target stopped responding, which ended 1 rule; 1 inconclusive',
  ],
  [
    'a sparing run',
    facts([passed], { isSparing: true }),
    0,
    'conformant: core (1 of 1 must rules verified, 0 unclaimed); sparing run: the seed drew what to try',
  ],
  [
    'a part is unclaimed',
    facts([passed, rule('passed', inPart), rule('advice', { level: 'should', ...inPart })]),
    0,
    'conformant: core (2 of 2 must rules verified, 1 of them in part, 0 unclaimed)',
  ],
  [
    'a part is unclaimed in a strict run',
    facts([passed, rule('advice', { level: 'should', ...inPart })], { strict: true }),
    3,
    'incomplete: core (1 of 1 must rules verified, 0 unclaimed); 1 rule judged in part in a strict run',
  ],
  [
    'a part is declared absent in a strict run',
    facts([rule('passed', { unjudged: [{ verdict: 'not-applicable' }] })], { strict: true }),
    0,
    'conformant: core (1 of 1 must rules verified, 0 unclaimed)',
  ],
  [
    'advice is never fatal',
    facts([passed, rule('advice', { level: 'should' })]),
    0,
    'conformant: core (1 of 1 must rules verified, 0 unclaimed)',
  ],
  [
    'a must failed',
    facts([passed, rule('failed')]),
    1,
    'not conformant: core (2 of 2 must rules verified, 0 unclaimed); 1 must rule failed',
  ],
  [
    'the failure is known',
    facts([passed, rule('failed', { accepted: true })], { known: [{ state: 'accepted' }] }),
    0,
    'conformant with known failures: core (2 of 2 must rules verified, 0 unclaimed); 1 known failure accepted',
  ],
  [
    'known no longer fails',
    facts([passed], { known: [{ state: 'no longer fails' }, { state: 'no longer fails' }] }),
    1,
    'not conformant: core (1 of 1 must rules verified, 0 unclaimed); 2 known failures no longer fail',
  ],
  [
    'known has expired',
    facts([passed, rule('failed')], { known: [{ state: 'expired' }] }),
    1,
    'not conformant: core (2 of 2 must rules verified, 0 unclaimed); 1 must rule failed; 1 known failure has expired',
  ],
  [
    'known is stale',
    facts([passed], { known: [{ state: 'stale' }] }),
    1,
    'not conformant: core (1 of 1 must rules verified, 0 unclaimed); 1 known failure was not reached',
  ],
  [
    'known was not judged',
    facts([passed], { known: [{ state: 'not judged' }] }),
    0,
    'conformant: core (1 of 1 must rules verified, 0 unclaimed)',
  ],
  [
    'other profiles judge more',
    facts([passed], { otherProfiles: ['deploy-size', 'lab'] }),
    0,
    'conformant: core (1 of 1 must rules verified, 0 unclaimed); profiles not selected: deploy-size, lab',
  ],
  [
    'inconclusive',
    facts([passed, rule('inconclusive')]),
    3,
    'incomplete: core (1 of 2 must rules verified, 0 unclaimed); 1 inconclusive',
  ],
  [
    'blocked',
    facts([passed, rule('blocked')]),
    3,
    'incomplete: core (1 of 2 must rules verified, 0 unclaimed); 1 blocked',
  ],
  [
    'unverified',
    facts([passed, rule('unverified')]),
    3,
    'incomplete: core (1 of 2 must rules verified, 0 unclaimed); 1 unverified',
  ],
  [
    'an inconclusive should',
    facts([passed, rule('inconclusive', { level: 'should' })]),
    3,
    'incomplete: core (1 of 1 must rules verified, 0 unclaimed); 1 inconclusive',
  ],
  ['unclaimed', facts([passed, rule('unclaimed')]), 0, 'conformant: core (1 of 2 must rules verified, 1 unclaimed)'],
  [
    'unclaimed, strict',
    facts([passed, rule('unclaimed')], { strict: true }),
    3,
    'incomplete: core (1 of 2 must rules verified, 1 unclaimed); 1 unclaimed in a strict run',
  ],
  [
    'declared absent, strict',
    facts([passed, rule('not-applicable')], { strict: true }),
    0,
    'conformant: core (1 of 1 must rules verified, 0 unclaimed, 1 not applicable)',
  ],
  [
    'nothing exercised',
    facts([rule('unclaimed')]),
    3,
    'incomplete: core (0 of 1 must rules verified, 1 unclaimed); nothing was exercised',
  ],
  [
    'no must rule selected',
    facts([rule('passed', { level: 'should' })]),
    0,
    'conformant: core (no must rule was selected); no must rule was judged',
  ],
  [
    'no must rule judged',
    facts([rule('passed', { level: 'should' }), rule('unclaimed')]),
    0,
    'conformant: core (0 of 1 must rules verified, 1 unclaimed); no must rule was judged',
  ],
  [
    'a profile of which no rule was selected',
    facts([passed], { profiles: ['core', 'long'] }),
    0,
    'conformant: core (1 of 1 must rules verified, 0 unclaimed)',
  ],
  ['nothing selected', facts([], { profiles: [] }), 3, 'incomplete: no rules; nothing was exercised'],
  [
    'failed and inconclusive',
    facts([rule('failed'), rule('inconclusive')]),
    1,
    'not conformant: core (1 of 2 must rules verified, 0 unclaimed); 1 must rule failed; 1 inconclusive',
  ],
  [
    'broken and failed',
    facts([rule('broken'), rule('failed')]),
    4,
    'broken: core (1 of 2 must rules verified, 0 unclaimed); 1 rule broken by a fault of plumbline or of the record; 1 must rule failed',
  ],
  [
    'cut short',
    facts([rule('failed'), rule('broken')], { ended: false }),
    130,
    'interrupted: core (1 of 2 must rules verified, 0 unclaimed); 1 rule broken by a fault of plumbline or of the record; 1 must rule failed',
  ],
  [
    'unreachable',
    facts([rule('unverified')], { stopped: { exit: 5, message: 'nothing listens at 127.0.0.1:9' } }),
    5,
    'unreachable: nothing listens at 127.0.0.1:9',
  ],
  [
    'refused by the target file',
    facts([rule('unverified')], { stopped: { exit: 2, message: 'keys.full was answered 401' } }),
    2,
    'refused: keys.full was answered 401',
  ],
  [
    'traffic without failures, which is not conformant',
    facts([passed, rule('advice', { level: 'should' }), rule('unclaimed')], { trafficExchanges: 2 }),
    0,
    'no failures: 2 of 3 rules exercised in 2 exchanges',
  ],
  [
    'traffic with a failure',
    facts([passed, rule('failed')], { trafficExchanges: 1 }),
    1,
    'failures: 1 must rule failed; 2 of 2 rules exercised in 1 exchange',
  ],
  [
    'traffic with an accepted failure, and one that it does not reach',
    facts([rule('failed', { accepted: true })], {
      known: [{ state: 'accepted' }, { state: 'no longer fails' }],
      trafficExchanges: 1,
    }),
    0,
    'no failures: 1 known failure accepted; 1 of 1 rules exercised in 1 exchange',
  ],
  [
    'traffic that exercises nothing',
    facts([rule('unclaimed')], { trafficExchanges: 1 }),
    3,
    'incomplete: nothing was exercised',
  ],
  ['a code of no meaning', facts([], { stopped: { exit: 99, message: 'odd' } }), 4, 'broken: odd'],
  [
    'two profiles',
    facts([passed, rule('passed', { profile: 'long' })], { profiles: ['long', 'core'] }),
    0,
    'conformant: long (1 of 1 must rules verified, 0 unclaimed), core (1 of 1 must rules verified, 0 unclaimed)',
  ],
]

describe('the verdict of a run', () => {
  it.each(table)('%s', (_, given, exit, line) => {
    const { verdict } = judgeRun(given)
    expect(verdict).toEqual({ word: line.slice(0, line.indexOf(':')), exit, line })
  })

  it('counts every must rule of a profile once', () => {
    const rules = [passed, rule('failed'), rule('unclaimed'), rule('not-applicable'), rule('blocked'), rule('broken')]
    expect(judgeRun(facts([...rules, rule('passed', { level: 'should' })])).coverage).toEqual([
      { profile: 'core', must: 6, verified: 2, inPart: 0, unclaimed: 1, notApplicable: 1, notVerified: 2 },
    ])
  })
})

it.each([
  [['deploy.a'], ['deploy'], { leftOut: 1, otherProfiles: ['deploy-size', 'lab'] }],
  [['deploy.a', 'deploy.b', 'deploy.d'], ['deploy', 'lab'], { leftOut: 0, otherProfiles: ['deploy-size'] }],
  [['pods.a'], ['core'], { leftOut: 0, otherProfiles: [] }],
])('of the ledger %j in the profiles %j leave out %j', (ids, profiles, expected) => {
  const of = { deploy: ['deploy.a', 'deploy.b'], 'deploy-size': ['deploy.c'], lab: ['deploy.d'], core: ['pods.a'] }
  const ledger = Object.entries(of).flatMap(([profile, some]) => some.map((id) => ({ id, profile })))
  expect(notSelected(ledger, { selected: new Set(ids), profiles, byLoad: null })).toEqual(expected)
})

it.each([
  ['check', ['limits.pods.bounds'], ['core'], null, ['lab (needs --load)', 'limits (needs --load)']],
  ['check --load', ['limits.pods.bounds', 'limits.queue.run'], ['core'], ['limits.queue.run'], ['lab', 'limits']],
  ['load', ['limits.queue.run'], ['limits'], ['limits.queue.run'], ['core (judged by check)', 'lab']],
])('%s names only profiles that it accepts, or how else they are judged', (_, ids, profiles, byLoad, otherProfiles) => {
  const of = {
    core: ['limits.pods.bounds', 'limits.pods.windows'],
    limits: ['limits.queue.run', 'limits.queue.status'],
  }
  const ledger = Object.entries({ ...of, lab: ['limits.queue.purge'] }).flatMap(([profile, some]) =>
    some.map((id) => ({ id, profile })),
  )
  const expected = expect.objectContaining({ otherProfiles })
  expect(notSelected(ledger, { selected: new Set(ids), profiles, byLoad })).toEqual(expected)
})
