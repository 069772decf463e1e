import { html } from 'hono/html'
import { lengthOf } from '../harness/common/length.ts'
import { waitMsOf } from '../harness/plan/turns.ts'
import { findRow } from '../harness/run/rows.ts'
import type { Results, RuleResult } from '../results/types.ts'
import type { Markup } from './html-failure.ts'

/** Most rules that the timeline shows. */
const shown = 15
/** Shorter rules did not wait. */
const minMs = 1_000
/** A rule that took so many times its declared wait is judged over the whole run, by requests of others. */
const maxWaits = 20

interface Span {
  readonly rule: RuleResult
  readonly fromMs: number
  readonly toMs: number
}

/** A timeline of the rules that took longest on the target's clock, with the reason of each. */
export function waits({ rules }: Results): Markup | null {
  const spans = rules.flatMap((rule): Span[] => {
    const { startedMs, endedMs } = rule
    return startedMs === null || endedMs === null ? [] : [{ rule, fromMs: startedMs, toMs: endedMs }]
  })
  const longest = spans
    .filter(
      ({ rule, fromMs, toMs }) =>
        toMs - fromMs >= minMs && toMs - fromMs <= maxWaits * waitMsOf(findRow(rule.id) ?? { wait: null }),
    )
    .sort((a, b) => b.toMs - b.fromMs - (a.toMs - a.fromMs))
    .slice(0, shown)
    .sort((a, b) => a.fromMs - b.fromMs)
  if (longest.length === 0) return null
  const beginMs = Math.min(...spans.map(({ fromMs }) => fromMs))
  const wholeMs = Math.max(...spans.map(({ toMs }) => toMs)) - beginMs
  const at = (ms: number) => (100 * ms) / wholeMs
  return html`<section id="waits" aria-labelledby="waits-title"><h2 id="waits-title">Longest waits <small>of ${lengthOf(wholeMs)} on the target's clock</small></h2>
<ol class="plain waits">${longest.map(
    ({ rule, fromMs, toMs }) => html`<li><a href="#${rule.id}"><code>${rule.id}</code></a>
<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="span" x="${at(fromMs - beginMs)}" width="${Math.max(0.5, at(toMs - fromMs))}" height="8"/></svg>
<span class="quiet">began after ${lengthOf(fromMs - beginMs)}, took ${lengthOf(toMs - fromMs)}${reason(rule)}</span></li>\n`,
  )}</ol></section>`
}

/** The rule that blocked this one, or the wait that this one declares. */
function reason({ id, by }: RuleResult): string {
  const wait = findRow(id)?.wait ?? null
  if (by !== null) return `, waiting for ${by}`
  return wait === null ? '' : `; the rule waits ${wait}`
}
