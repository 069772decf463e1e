import { describe, expect, it } from 'vitest'
import { renderJunit } from './junit.ts'
import { hostileResults, sampleResults } from './sample.ts'

describe('the JUnit report', () => {
  it('has a suite for each area and a case for each rule', async () => {
    const xml = renderJunit(await sampleResults())
    expect(xml).toContain('<testsuites name="plumbline: acme staging" tests="9" failures="1" errors="0" skipped="5">')
    expect(xml).toContain(
      '<testsuite name="auth" timestamp="2026-11-02T09:00:00" tests="1" failures="0" errors="0" skipped="0">',
    )
    expect(xml).toContain('<testcase name="pods.action.exited.stop" classname="plumbline.pods" time="1.5">')
    expect(xml.match(/<testcase /g)).toHaveLength(9)
  })

  it('says what was expected and observed, why a rule was skipped, and what was seen', async () => {
    const xml = renderJunit(await sampleResults())
    expect(xml).toContain(
      '<failure message="refused: expected status 409; observed status 200 with &lt;img src=x onerror=alert(1)>" type="failed">',
    )
    expect(xml).toContain('<skipped message="unclaimed: pod.error is neither given nor declared absent"/>')
    expect(xml).toContain('<skipped message="blocked by pod.running gpu none: a pod did not become RUNNING"/>')
    expect(xml).toContain('<system-out><![CDATA[advice, never fatal\nStatuses come in order.\n')
    expect(xml).toContain('<property name="reading.answer" value="404"/>')
    expect(xml).toContain('<property name="exchanges" value="9"/>')
  })

  it('skips a failure that is accepted and errs on a broken rule', async () => {
    const results = await sampleResults()
    const rules = results.rules.map((rule) => {
      if (rule.verdict === 'failed') return { ...rule, known: { reason: 'ticket 12', expires: '2026-12-01' } }
      return rule.verdict === 'blocked' ? { ...rule, verdict: 'broken' as const, reason: 'a null was read' } : rule
    })
    const xml = renderJunit({ ...results, rules })
    expect(xml).toContain('<skipped message="known failure, accepted until 2026-12-01: ticket 12"/>')
    expect(xml).toContain('<error message="a null was read" type="broken">')
    expect(xml).toContain('tests="9" failures="0" errors="1" skipped="5"')
  })

  it('is well-formed and always the same', async () => {
    expect(wellFormed(renderJunit(await sampleResults()))).toBe('')
    const hostile = renderJunit(await hostileResults())
    expect(wellFormed(hostile)).toBe('')
    expect(hostile).toContain('\\u{1b}[2J')
    expect(hostile).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
    expect(renderJunit(await sampleResults())).toBe(renderJunit(await sampleResults()))
  })
})

/** Names what is wrong with an XML text; empty if nothing is. */
function wellFormed(xml: string): string {
  if (/[^\P{Cc}\n\t]|[\uFFFE\uFFFF]/u.test(xml)) return 'a character that XML does not allow'
  const open: string[] = []
  const token = /<\?.*?\?>|<!\[CDATA\[[\s\S]*?\]\]>|<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>|[^<]+/gy
  let at = 0
  for (const [text, closing, name = '', attributes = '', empty] of xml.matchAll(token)) {
    at += text.length
    const prose = text.startsWith('<') ? attributes : text
    if (/&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9A-F]+);)/.test(prose) || prose.includes(']]>'))
      return `unescaped text in ${text}`
    if (name === '' || empty === '/') continue
    if (closing === '') open.push(name)
    else if (open.pop() !== name) return `${name} is closed out of turn`
  }
  return at === xml.length && open.length === 0 ? '' : `it ends at ${at} of ${xml.length} with ${open.join()} open`
}
