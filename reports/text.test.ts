import { describe, expect, it } from 'vitest'
import { hostileResults, sampleResults } from './testing/sample.ts'
import { renderFailure, renderSummary, renderText } from './text.ts'

describe('the text of a run', () => {
  it('tells of a failure all that somebody needs who has never seen the suite', async () => {
    const results = await sampleResults()
    const [, stop] = results.rules
    const text = stop === undefined ? '' : renderFailure(results, stop)
    expect(text.split('\n').slice(0, 13)).toEqual([
      'FAILED  pods.action.exited.stop  (must)',
      '  EXITED + stop: 409, and the pod is unchanged.',
      '  heading "Pod status" of the API description',
      '  clause refused',
      '    expected  status 409',
      '    observed  status 200 with <img src=x onerror=alert(1)>',
      '    exchange 6: POST https://api.example.test/v2/pods/p1/action → 200',
      '    answered  {"gpu":{"id":"A40"},"id":"p1","status":"EXITED","note":"<img src=x onerror=alert(1)>"}',
      '',
      '  reproduce by hand, in bash:',
      '    export BASE=https://api.example.test',
      '    export KEY_FULL="$'.concat('{KEY_FULL:?set it to keys.full (your target file)}"'),
      "    export AGENT='plumbline/0.1.0 (run r0abc; rule pods.action.exited.stop)'",
    ])
    expect(text).toContain('    # 3. triggerPodAction: 200 EXITED in the run\n')
    expect(text.split('\n').slice(-3)).toEqual([
      '  rerun this rule:  plumbline check --target target.yaml --only pods.action.exited.stop --profile core --seed 7',
      '  in your log:      run r0abc; rule pods.action.exited.stop',
      '',
    ])
  })

  it('shows a response with what the target file named in its request, and long texts cut', async () => {
    const results = await sampleResults()
    const [, stop] = results.rules
    if (stop === undefined) throw new Error('the sample has no second rule')
    const [finding] = stop.findings
    const scenario = stop.scenario.map((one) => ({
      ...one,
      response: one.response && { ...one.response, status: 400, body: '{"detail":"unknown gpu"}' },
    }))
    const failure = renderFailure(results, {
      ...stop,
      scenario,
      findings: finding === undefined ? [] : [{ ...finding, expected: 'x'.repeat(2_000) }],
      fromTarget: { 'keys.full': 'a key that may do this', 'pods.gpu.id': 'gpu-z' },
      curl: ['x'.repeat(5_000)],
    })
    expect(failure).toContain(`\n    expected  ${'x'.repeat(499)}…\n`)
    expect(failure).toContain(
      '\n    answered  {"detail":"unknown gpu"}\n  is keys.full of the target file a key that may do this?\n  sent as in the target file (is it right there?): pods.gpu.id gpu-z\n  shell lines: too long for here; they are in the report.html of --out FOLDER\n',
    )
  })

  it('names what broke a rule, which is never the target', async () => {
    const results = await sampleResults()
    const [, rule] = results.rules
    const reason = 'ReplayMismatch: GET /v2/pods is not in the record'
    const text = rule === undefined ? '' : renderFailure(results, { ...rule, verdict: 'broken', reason })
    expect(text).toContain(`\n  a fault of plumbline or of the record: ${reason}\n`)
  })

  it('ends with what was not verified, the counts and the verdict', async () => {
    expect(renderSummary(await sampleResults()).split('\n')).toEqual([
      'not verified',
      '  pods.shape.cost  inconclusive: no exchange exercised this rule',
      '  pods.action.race  blocked, because it needs a RUNNING GPU pod: a pod did not become RUNNING',
      '  limits.pods.minute  unverified: left out by a budget of 60 s',
      '  pods.action.error.start  unclaimed: pod.error is neither given nor declared absent; add pods: {statuses: {ERROR: {body: {image: AN_IMAGE_THAT_FAILS}}}}, or absent: {pod.error: REASON}',
      '  pods.mount.volume  not-applicable: volume is absent: no network volumes',
      '',
      'failed',
      '  pods  pods.action.exited.stop',
      '',
      '1 failed, 1 advice, 1 inconclusive, 1 blocked, 1 unverified, 1 unclaimed, 1 not-applicable, 1 observed, 1 passed',
      'run r0abc of plumbline 0.1.0 on acme staging: 7 exchanges in 9.0 s, real clock, seed 7',
      'not conformant: core (3 of 7 must rules verified, 1 unclaimed, 1 not applicable); 1 must rule failed; 1 inconclusive; 1 blocked; 1 unverified (exit 1)',
      '',
    ])
  })

  it.each([
    [
      1,
      [
        '  limits.r0  unverified: left out by the budget of 20s: it takes 30s by itself',
        '  queue.late  unverified: not done within the budget of 20s',
      ],
    ],
    [
      6,
      [
        '  6 rules (limits 3, pods 3)  unverified: left out by the budget of 20s; plumbline plan with the same options lists them',
        '  queue.late  unverified: not done within the budget of 20s',
      ],
    ],
  ])('has one line for many rules that a budget left out: %i', async (count, lines) => {
    const results = await sampleResults()
    const sample = results.rules.find(({ verdict }) => verdict === 'unverified')
    const rule = (id: string, reason: string) => ({ ...sample, id, reason }) as (typeof results.rules)[number]
    const leftOut = Array.from({ length: count }, (_, n) =>
      rule(`${n % 2 ? 'pods' : 'limits'}.r${n}`, `left out by the budget of 20s: it takes 3${n}s by itself`),
    )
    const rules = [...leftOut, rule('queue.late', 'not done within the budget of 20s')]
    expect(
      renderSummary({ ...results, rules })
        .split('\n')
        .slice(1, 3),
    ).toEqual(lines)
  })

  it('has one line for each reason of rules, and of parts of them', async () => {
    const results = await sampleResults()
    const unclaimed = results.rules.filter(({ verdict }) => verdict === 'unclaimed')
    const passed = results.rules.filter(({ verdict }) => verdict === 'passed')
    const part = (need: string) => ({ need, verdict: 'unclaimed' as const, reason: `${need} is not given` })
    const rules = [
      ...['q.a', 'q.b', 'q.c'].flatMap((id) =>
        unclaimed.map((rule) => ({ ...rule, id, reason: 'queue is not given' })),
      ),
      // A rule without a verdict has no parts that were not judged.
      ...unclaimed.map((rule) => {
        const readings = { 'a part': 'not judged: gone' }
        return { ...rule, id: 'lb.a', reason: 'lb.endpoints.normal is not given', readings }
      }),
      ...passed.map((rule) => ({ ...rule, unjudged: [part('queue'), part('volume')] })),
      ...['p.a', 'p.b'].flatMap((id) =>
        passed.map((rule) => ({ ...rule, id, readings: { again: 'not judged: gone' } })),
      ),
    ]
    expect(
      renderSummary({ ...results, rules })
        .split('\n')
        .slice(0, 7),
    ).toEqual([
      'not verified',
      '  3 rules (q.a, q.b, q.c)  unclaimed: queue is not given',
      '  lb.a  unclaimed: lb.endpoints.normal is not given',
      '  2 rules (p.a, p.b)  in part: again not judged: gone',
      '  auth.pods.missing  in part: queue is not given',
      '  auth.pods.missing  in part: volume is not given',
      '',
    ])
  })

  it.each([
    [null, ''],
    [0, ', seed 0'],
  ])('of a run with seed %s names what was drawn', async (seed, named) => {
    const results = await sampleResults()
    expect(renderSummary({ ...results, run: { ...results.run, seed } })).toContain(`9.0 s, real clock${named}\n`)
  })

  it('puts failures before all else', async () => {
    const text = renderText(await sampleResults())
    expect(text.startsWith('FAILED  pods.action.exited.stop')).toBe(true)
    expect(text.indexOf('ADVICE  pods.shape.order')).toBeLessThan(text.indexOf('not verified'))
    expect(text).toBe(renderText(await sampleResults()))
  })

  it('prints advice like failures if there is little, else a few lines for each rule', async () => {
    const results = await sampleResults()
    const advice = results.rules.find(({ verdict }) => verdict === 'advice')
    if (advice === undefined) throw new Error('the sample has no advice')
    const many = Array.from({ length: 4 }, (_, at) => ({ ...advice, id: `pods.should.${at}` }))
    const [text, long] = [results, { ...results, rules: many }].map((all) => renderText(all))
    expect(text).toContain(renderFailure(results, advice))
    const [first] = advice.findings
    expect(long).toContain(
      `advice  pods.should.0: expected ${first?.expected}; observed ${first?.observed}\n  ${advice.says}\n`,
    )
  })

  it('says what is the matter with an entry of known', async () => {
    const results = await sampleResults()
    const known = [
      { rule: 'pods.x', clause: 'refused', reason: 'r', expires: '2026-01-01', state: 'expired' as const },
      { rule: 'pods.y', clause: null, reason: 'r', expires: '2026-12-01', state: 'accepted' as const },
    ]
    const text = renderText({ ...results, known })
    expect(text).toContain('known  pods.x, clause refused expired on 2026-01-01: fix the failure or set a later date\n')
    const elsewhere = { ...entry('pods.action.exited.stop'), state: 'not judged' } as const
    expect(renderText({ ...results, known: [elsewhere] })).toContain(
      'known  pods.action.exited.stop, clause unchanged accepts nothing here: the rule failed before that clause\n',
    )
    const passed = { ...entry('pods.action.running.stop'), state: 'not judged' } as const
    expect(renderText({ ...results, known: [passed] })).not.toContain('accepts nothing here')
    expect(text).not.toContain('pods.y')
  })

  it('paints with what it is given', async () => {
    const mark = (name: string) => (text: string) => `<${name}>${text}</${name}>`
    const paint = {
      bold: mark('b'),
      dim: mark('d'),
      red: mark('r'),
      green: mark('g'),
      yellow: mark('y'),
      cyan: mark('c'),
    }
    expect(renderText(await sampleResults(), paint)).toContain('    expected  <g>status 409</g>\n')
  })

  it('lets no response draw on the terminal', async () => {
    const text = renderText(await hostileResults())
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e/u)
    expect(text).toContain('\\u{1b}[2J')
  })
})

function entry(rule: string) {
  return { rule, clause: 'unchanged', reason: 'later', expires: '2027-01-31' }
}
