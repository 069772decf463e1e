import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { renderHtml } from './html.ts'
import { hostileResults, manyFailures, sampleLoad, sampleResults } from './testing/sample.ts'

describe('the HTML report', () => {
  it('shows coverage and failures first, then what was not verified, readings, all rules', async () => {
    const page = renderHtml(await sampleResults())
    const order = [...page.matchAll(/<section id="([a-z-]+)"/g)].map(([, id]) => id)
    expect(order.filter((id) => id !== 'waits')).toEqual([
      'coverage',
      'failures',
      'lesser',
      'not-verified',
      'readings',
      'rules',
      'provenance',
    ])
    expect(page).toContain('<p>core (3 of 7 must rules verified, 1 unclaimed, 1 not applicable); 1 must rule failed;')
  })

  it('counts in its headings what the tally counts', async () => {
    const page = renderHtml(await sampleResults())
    const headings = [...page.matchAll(/<h2 id="[a-z-]+">([^<]+) <small>([^<]+)<\/small>/g)]
    expect(headings.map(([, title, many]) => [title, many]).filter(([title]) => title !== 'Longest waits')).toEqual([
      ['Failures', '1'],
      ['Advice and accepted failures', '1'],
      ['Not verified', '5: 1 inconclusive, 1 blocked, 1 unverified, 1 unclaimed, 1 not-applicable'],
      ['Open in the description', '1'],
      ['All rules', '9'],
    ])
  })

  it('puts failures with one observation on one operation under one heading', async () => {
    const page = renderHtml(await manyFailures(6))
    expect(page).toContain('<b>4 rules</b> triggerPodAction: status 200')
    expect(page.match(/<h3><code>pods/g)).toHaveLength(3)
  })

  it('tells of a failure its sentence, heading, clause, exchange, shell lines, command and log mark', async () => {
    const page = renderHtml(await sampleResults())
    const [, article = ''] = /<details id="pods\.action\.exited\.stop"([\s\S]*?)<dt>In the target/.exec(page) ?? []
    for (const piece of [
      '<span class="says">EXITED + stop: 409, and the pod is unchanged.</span>',
      'must rule, profile core, from “Pod status” of the API description',
      '<code>refused</code> <span class="quiet">exchange 6</span>',
      '<dt>Expected</dt><dd>status 409</dd>',
      '<summary><b>6</b> POST https://api.example.test/v2/pods/p1/action → 200</summary>',
      '&quot;action&quot;: &quot;stop&quot;',
      'All 3 exchanges of the scenario',
      'sent 3 times: 200 PROVISIONING … 200 RUNNING',
      '# expected: status 409\n# observed: status 200',
      'plumbline check --target target.yaml --only pods.action.exited.stop --profile core --seed 7',
    ]) {
      expect(article).toContain(piece)
    }
  })

  it.each([
    ['of a plain run', sampleResults],
    ['of a hostile target', hostileResults],
  ])('has only its own script, loads nothing and escapes what it shows: %s', async (_, make) => {
    const page = renderHtml(await make())
    expect(page.match(/<script/g)).toHaveLength(1)
    expect(page.match(/<\/script/g)).toHaveLength(1)
    expect(page).not.toMatch(/<img|<link|<iframe|\son\w+="|javascript:/i)
    expect(page).not.toMatch(/(?:src|action|srcset)\s*=\s*["']|href="[^#]/i)
    expect(page).not.toMatch(/@import|url\(/i)
    for (const [, kind = '', text = ''] of page.matchAll(/<(style|script)>([\s\S]*?)<\/\1>/g)) {
      const hash = createHash('sha256').update(text).digest('base64')
      expect(page).toContain(`${kind}-src &#39;sha256-${hash}&#39;`)
    }
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;')
  })

  it('closes what it opens and is always the same', async () => {
    const page = renderHtml(await hostileResults())
    const open: string[] = []
    for (const [, closing, name = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)(?:\s[^>]*)?>/g)) {
      if (name === 'meta' || name === 'input' || name === 'rect') continue
      if (closing === '') open.push(name)
      else expect(open.pop()).toBe(name)
    }
    expect(open).toEqual([])
    expect(renderHtml(await sampleResults())).toBe(renderHtml(await sampleResults()))
  })

  it('shows readings and reasons', async () => {
    const page = renderHtml(await sampleResults())
    expect(page).toContain('answer: <b>404</b>')
    expect(page).toContain('<code>plumbline replay</code>')
    expect(page).toContain('blocked, because it needs a RUNNING GPU pod: a pod did not become RUNNING')
  })

  it('draws the served and refused requests of each second of a load, with the limit', async () => {
    const page = renderHtml({ ...(await sampleResults()), load: sampleLoad })
    const [section = ''] = /<section id="load"[\s\S]*?<\/section>/.exec(page) ?? []
    expect(section).toContain('aria-label="02-cancel-over: 4 served, 6 refused, limit 2 per second"')
    // Six of at most eight in the second half, above the two that were served.
    expect(section).toContain(
      '<path class="share-2" d="M0,45L50,45L50,0L100,0L100,0L100,45L100,45L50,45L50,45L0,45Z"/>',
    )
    expect(section).toContain('<line x1="0" x2="100" y1="45" y2="45"/>')
    expect(section).not.toContain('01-smoke')
  })
})
