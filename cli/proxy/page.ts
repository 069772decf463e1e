import { html } from 'hono/html'
import { pluralize } from '../../harness/common/pluralize.ts'
import type { Finding } from '../../harness/rule/outcome.ts'
import { grid, renderPage } from '../../reports/html-page.ts'
import { pageStyle } from '../../reports/html-style.ts'

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

/** The page that shows the findings so far. */
export function findingsPage({ exchanges, findings, exercised }: Shown): string {
  const title = `${pluralize(findings.length, 'finding')} in ${pluralize(exchanges, 'exchange')}`
  const rows = findings.map(({ at, rule, clause, expected, observed, exchange, request }) => [
    `${rule} (${clause})`,
    ...[at, expected, observed, `${exchange ?? ''} ${request}`],
  ])
  const body = html`<header><h1>${title}</h1></header>
<main>${grid('Findings', ['rule', 'at', 'expected', 'observed', 'exchange'], rows)}
${grid('Rules that were exercised', ['rule', 'exchanges'], Object.entries(exercised))}</main>`
  return renderPage({ title, style: pageStyle, body })
}
