import { describe, expect, it } from 'vitest'
import { renderJunit } from './junit.ts'
import { hostileResults, sampleResults } from './testing/sample.ts'

describe('the JUnit report', () => {
  it('has a suite for each area and a case for each rule', async () => {
    const xml = renderJunit(await sampleResults())
    expect(xml).toContain('<testsuites name="plumbline: acme staging" tests="9" failures="1" errors="0" time="9.000">')
    expect(xml).toContain(
      '<testsuite name="auth" tests="1" failures="0" errors="0" skipped="0" time="1.500" timestamp="2026-11-02T09:00:00">',
    )
    expect(xml).toContain('<testcase name="pods.action.exited.stop" classname="plumbline.pods" time="1.500">')
    expect(xml.match(/<testcase /g)).toHaveLength(9)
  })

  it('says what was expected and observed, why a rule was skipped, and what was seen', async () => {
    const xml = renderJunit(await sampleResults())
    expect(xml).toContain(
      '<failure message="refused: expected status 409; observed status 200 with &lt;img src=x onerror=alert(1)&gt;" type="failed">',
    )
    expect(xml).toContain(
      '<skipped>unclaimed: pod.error is neither given nor declared absent; add pods: {statuses: {ERROR: {body: {image: AN_IMAGE_THAT_FAILS}}}}, or absent: {pod.error: REASON}</skipped>',
    )
    expect(xml).toContain(
      '<skipped>blocked, because it needs a RUNNING GPU pod: a pod did not become RUNNING</skipped>',
    )
    expect(xml).toContain('<system-out>advice, never fatal\n\nStatuses come in order.\n')
  })

  it('skips a failure that is accepted and errs on a broken rule', async () => {
    const results = await sampleResults()
    const rules = results.rules.map((rule) => {
      if (rule.verdict === 'failed') return { ...rule, known: { reason: 'ticket 12', expires: '2026-12-01' } }
      return rule.verdict === 'blocked' ? { ...rule, verdict: 'broken' as const, reason: 'a null was read' } : rule
    })
    const xml = renderJunit({ ...results, rules })
    expect(xml).toContain('<skipped>accepted until 2026-12-01 (ticket 12)</skipped>')
    expect(xml).toContain('<error message="a null was read" type="broken">')
    expect(xml).toContain('tests="9" failures="0" errors="1" time="9.000"')
  })

  it('shows what controls a terminal', async () => {
    expect(renderJunit(await hostileResults())).toContain('\\u{1b}[2J')
  })
})
