import { html } from 'hono/html'
import { pluralize } from '../../harness/common/pluralize.ts'
import type { Finding } from '../../harness/rule/outcome.ts'

/** A finding as it is shown: who is at fault, and the request that shows it. */
export interface ShownFinding extends Finding {
  readonly at: 'client' | 'server'
  readonly rule: string
  /** Method and path of the exchange; empty if it is not known. */
  readonly request: string
}

/** The contents of the page, and its JSON. */
export interface Shown {
  readonly exchanges: number
  readonly findings: readonly ShownFinding[]
  /** The rules that were exercised, with the number of exchanges. */
  readonly exercised: Readonly<Record<string, number>>
}

/** The page that shows findings as they come: it loads itself again every two seconds. */
export function findingsPage({ exchanges, findings, exercised }: Shown) {
  const rules = Object.entries(exercised)
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="refresh" content="2">
    <title>${pluralize(findings.length, 'finding')}</title>
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
      td, th { padding-right: 1.5rem; text-align: left; vertical-align: top; }
    </style>
  </head>
  <body>
    <h1>${pluralize(findings.length, 'finding')} in ${pluralize(exchanges, 'exchange')}</h1>
    <table>
      <tr><th>at</th><th>rule</th><th>expected</th><th>observed</th><th>exchange</th></tr>
      ${findings.map(
        ({ at, rule, clause, expected, observed, exchange, request }) =>
          html`<tr><td>${at}</td><td>${rule} (${clause})</td><td>${expected}</td><td>${observed}</td><td>${exchange ?? ''} ${request}</td></tr>`,
      )}
    </table>
    <h2>Exercised</h2>
    <p>${rules.length === 0 ? 'No rule yet.' : rules.map(([rule, count]) => `${rule} ${count}`).join(', ')}</p>
  </body>
</html>
`
}
