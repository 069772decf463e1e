import { describe, expect, it } from 'vitest'
import { renderHtml } from './html.ts'
import { hostileResults, sampleResults } from './sample.ts'

describe('the HTML report', () => {
  it('shows failures first, then what was not verified, readings, what passed', async () => {
    const page = renderHtml(await sampleResults())
    const order = [...page.matchAll(/<section id="([a-z-]+)"/g)].map(([, id]) => id)
    expect(order).toEqual(['failures', 'lesser', 'not-verified', 'readings', 'passed', 'provenance'])
    expect(page).toContain('<p>core (3 of 7 must rules verified, 1 unclaimed, 1 not applicable); 1 must rule failed;')
  })

  it('counts in its headings what the tally counts', async () => {
    const page = renderHtml(await sampleResults())
    const headings = [...page.matchAll(/<h2>([^<]+) <small>([^<]+)<\/small>/g)].map(([, title, many]) => [title, many])
    expect(headings).toEqual([
      ['Failures', '1'],
      ['Advice and accepted failures', '1'],
      ['Not verified', '5: 1 inconclusive, 1 blocked, 1 unverified, 1 unclaimed, 1 not-applicable'],
      ['Open in the description', '1'],
      ['Passed', '1'],
    ])
  })

  it('tells of a failure its sentence, heading, clause, exchange, shell lines, command and log mark', async () => {
    const page = renderHtml(await sampleResults())
    const [, article = ''] = /<article id="pods\.action\.exited\.stop"([\s\S]*?)<\/article>/.exec(page) ?? []
    for (const piece of [
      '<p class="says">EXITED + stop: 409, and the pod is unchanged.</p>',
      'must rule, profile core, from “Pod status” of the API description',
      '<code>refused</code> <span class="quiet">exchange 6</span>',
      '<dt>Expected</dt><dd>status 409</dd>',
      '<summary><b>6</b> POST https://api.example.test/v2/pods/p1/action → 200</summary>',
      '{&quot;action&quot;:&quot;stop&quot;}',
      'All 3 exchanges of the scenario',
      'sent 3 times: 200 PROVISIONING … 200 RUNNING',
      '# expected: status 409\n# observed: status 200',
      'plumbline check --target target.yaml --only pods.action.exited.stop --profile core --seed 7',
      '<code>run r0abc; rule pods.action.exited.stop</code>',
    ]) {
      expect(article).toContain(piece)
    }
  })

  it.each([
    ['of a plain run', sampleResults],
    ['of a hostile target', hostileResults],
  ])('has no script, loads nothing and escapes what it shows: %s', async (_, make) => {
    const page = renderHtml(await make())
    expect(page).not.toMatch(/<script|<img|<link|<iframe|\son\w+="|javascript:/i)
    expect(page).not.toMatch(/(?:src|href|action|srcset)\s*=\s*["']/i)
    expect(page).not.toMatch(/@import|url\(/i)
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;')
  })

  it('closes what it opens and is always the same', async () => {
    const page = renderHtml(await hostileResults())
    const open: string[] = []
    for (const [, closing, name = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)(?:\s[^>]*)?>/g)) {
      if (name === 'meta') continue
      if (closing === '') open.push(name)
      else expect(open.pop()).toBe(name)
    }
    expect(open).toEqual([])
    expect(renderHtml(await sampleResults())).toBe(renderHtml(await sampleResults()))
  })

  it('shows readings and reasons', async () => {
    const page = renderHtml(await sampleResults())
    expect(page).toContain('Readings: answer: <b>404</b>')
    expect(page).toContain('<code>plumbline replay</code>')
    expect(page).toContain('Why: <b>blocked</b>: blocked by pod.running gpu none: a pod did not become RUNNING')
  })
})
