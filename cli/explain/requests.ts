import type { Exchange } from '../../harness/exchange/exchange.ts'
import { planeOfOperation } from '../../harness/planes/index.ts'
import type { Rule } from '../../harness/rule/registry.ts'

/** The requests of a run of this rule alone on the reference in this process, a line for each operation. */
export async function requestsOnReference(rule: Rule): Promise<string[]> {
  const { judgeOn } = await import('../../proof/judge.ts')
  const sent: Exchange[] = []
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
function summaryOf(sent: readonly Exchange[]): string[] {
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
