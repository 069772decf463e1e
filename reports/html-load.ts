import { scaleLinear } from 'd3-scale'
import { area, curveStepAfter, stack } from 'd3-shape'
import { html } from 'hono/html'
import { lengthOf } from '../harness/common/length.ts'
import { pluralize } from '../harness/common/pluralize.ts'
import type { DrivenPlan, Results } from '../results/types.ts'
import type { Markup } from './html-failure.ts'

/** Units of the drawing, which is stretched to the width of the page. */
const size = { width: 100, height: 60 } as const

/** The fates of a request, with the class of its color, from the bottom of a plot to its top. */
const fates = [
  ['served', 'share-0'],
  ['refused', 'share-2'],
  ['other', 'share-1'],
] as const

/** The plans of the load that are drawn: all but those that only see that every operation works. */
export function plottedPlans({ load = [] }: Results): readonly DrivenPlan[] {
  return load.filter(({ plan, served }) => !plan.includes('smoke') && served.length > 0)
}

/** A plot for each plan of the load: served and refused requests of each second, and the limit. */
export function load(results: Results): Markup | null {
  const plans = plottedPlans(results)
  if (plans.length === 0) return null
  return html`<section id="load" aria-labelledby="load-title"><h2 id="load-title">Load <small>${pluralize(plans.length, 'plan')}</small></h2>
<p class="quiet">Requests of each second: <span class="key share-0"></span> served, <span class="key share-2"></span> refused with 429, <span class="key share-1"></span> other. The line is the limit.</p>
<ol class="plain plots">${plans.map((plan) => html`<li>${plot(plan)}</li>\n`)}</ol></section>`
}

function plot(plan: DrivenPlan): Markup {
  const seconds = plan.served.map((_, at) => Object.fromEntries(fates.map(([fate]) => [fate, plan[fate][at] ?? 0])))
  const sums = fates.map(([fate]) => [plan[fate].reduce((sum, count) => sum + count, 0), fate] as const)
  const layers = stack<Record<string, number>>().keys(fates.map(([fate]) => fate))(seconds)
  const most = Math.max(plan.limit ?? 0, ...layers.flat().map(([, top]) => top))
  const x = scaleLinear([0, seconds.length], [0, size.width])
  const y = scaleLinear([0, most], [size.height, 0]).nice()
  const drawn = area<readonly [number, number]>()
    .x((_, at) => x(at))
    .y0(([bottom]) => y(bottom))
    .y1(([, top]) => y(top))
    .curve(curveStepAfter)
    .digits(2)
  const said = sums.filter(([sum]) => sum > 0).map(([sum, fate]) => `${sum} ${fate}`)
  const limit = plan.limit === null ? '' : `, limit ${Number(plan.limit.toFixed(2))} per second`
  const limitY = y(plan.limit ?? 0)
  // The last second has a width, too.
  const paths = layers.map((layer) => drawn([...layer, ...layer.slice(-1)] as unknown as [number, number][]))
  return html`<b><code>${plan.plan}</code></b> <span class="quiet">${said.join(', ')}${limit}; ${y.domain()[1]} per second at the top, ${lengthOf(1_000 * seconds.length)}</span>
<svg viewBox="0 0 ${size.width} ${size.height}" preserveAspectRatio="none" role="img" aria-label="${plan.plan}: ${said.join(', ')}${limit}">${paths.map((path, at) => html`<path class="${fates[at]?.[1] ?? ''}" d="${path}"/>`)}${
    plan.limit === null ? null : html`<line x1="0" x2="${size.width}" y1="${limitY}" y2="${limitY}"/>`
  }</svg>`
}
