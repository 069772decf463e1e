import { buildResults } from '../../results/build.ts'
import { eventsOf, sampleEvents, sampleLedger } from '../../results/testing/sample.ts'
import type { Results } from '../../results/types.ts'

/** Results with every verdict, for the tests of the reports. */
export function sampleResults(more: Parameters<typeof sampleEvents>[0] = {}): Promise<Results> {
  return buildResults(eventsOf(sampleEvents(more)), { ledger: sampleLedger })
}

/** Results in which the target tries to inject markup and escape sequences. */
export async function hostileResults(): Promise<Results> {
  const results = await sampleResults()
  const evil = '\u001b[2J</script><script>alert(1)</script>]]>]]>\u0000\u202e"\'&<img src=x onerror=alert(1)>'
  const rules = results.rules.map((rule) => ({
    ...rule,
    reason: rule.reason === null ? null : evil,
    findings: rule.findings.map((finding) => ({ ...finding, expected: evil, observed: evil })),
    readings: Object.fromEntries(Object.keys(rule.readings).map((name) => [name, evil])),
    scenario: rule.scenario.map((one) => ({
      ...one,
      failure: evil,
      request: { ...one.request, url: evil, body: evil },
      response: null,
    })),
    curl: [evil],
  }))
  return { ...results, run: { ...results.run, target: evil }, rules }
}

/** Results with so many failures: copies of the one of the sample, of which every third has another observation. */
export async function manyFailures(count: number): Promise<Results> {
  const results = await sampleResults()
  const copies = results.rules
    .filter(({ verdict }) => verdict === 'failed')
    .slice(0, 1)
    .flatMap((rule) =>
      Array.from({ length: count }, (_, at) => ({
        ...rule,
        id: `${rule.id}-${at}`,
        findings: rule.findings.map((one) => (at % 3 === 0 ? { ...one, observed: `status ${500 + at}` } : one)),
      })),
    )
  const rules = [...copies, ...results.rules.filter(({ verdict }) => verdict !== 'failed')]
  return { ...results, rules, counts: { ...results.counts, failed: count } }
}

/** A load whose second plan exceeds its limit. */
export const sampleLoad: NonNullable<Results['load']> = ['01-smoke', '02-cancel-over'].map((plan) => ({
  ...{ plan, served: [2, 2], refused: [0, 6], other: [0, 0], limit: 2 },
}))
