import { dirname } from 'node:path'
import type { Exchange } from '../../harness/exchange/exchange.ts'
import { planeOfOperation } from '../../harness/planes/index.ts'
import { readEvidence } from '../../harness/record/read.ts'
import type { Rule } from '../../harness/rule/registry.ts'
import { resultsFile } from '../shared/read-results.ts'
import { hasRecord } from '../shared/record.ts'

/** The part of an exchange that is shown. */
interface Sent extends Pick<Exchange, 'operation'> {
  readonly request: Pick<Exchange['request'], 'method'>
  readonly response: Pick<NonNullable<Exchange['response']>, 'status'> | null
}

/** The requests of a rule in the record of a run, a line for each operation. */
export async function requestsIn(run: string, rule: string, cwd: string): Promise<string[]> {
  const folder = dirname(resultsFile(cwd, run))
  if (!hasRecord(folder)) return [`unknown: ${run} has no record beside its results`]
  const sent: Sent[] = []
  for await (const event of readEvidence(folder))
    if (event.type === 'exchange' && event.owner === rule) sent.push(event)
  return sent.length === 0 ? ['none'] : summaryOf(sent)
}

/** The same of a run of this rule alone on the reference in this process. */
export async function requestsOnReference(rule: Rule): Promise<string[]> {
  const { judgeOn } = await import('../../proof/judge.ts')
  const sent: Sent[] = []
  await judgeOn({
    variants: [],
    rules: [rule],
    exchanged: (exchange) => {
      if (exchange.owner === rule.id) sent.push(exchange)
    },
  })
  return summaryOf(sent)
}

/** `POST /v2/pods (createPod) 2 times: 201, 400`, in the order of the first of each. */
function summaryOf(sent: readonly Sent[]): string[] {
  const groups = Map.groupBy(
    sent,
    ({ operation, request }) => `${request.method} ${templateOf(operation)} (${operation})`,
  )
  return [...groups].map(([route, all]) => {
    const statuses = [...new Set(all.map(({ response }) => response?.status ?? 'no response'))].join(', ')
    return `${route} ${all.length === 1 ? 'once' : `${all.length} times`}: ${statuses}`
  })
}

function templateOf(operation: string): string {
  return planeOfOperation(operation).operations[operation]?.path ?? ''
}
