import { scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import { html } from 'hono/html'

/** Units of a drawing, which is stretched to the width of the page. */
const size = { width: 100, height: 60 } as const

/** A line through values in order, such as one of each round; null is a gap. */
interface PlotLine {
  readonly style: string
  readonly values: readonly (number | null)[]
}

export interface LinePlot {
  /** The operation. */
  readonly name: string
  readonly lines: readonly PlotLine[]
  /** The subject of the drawing, for readers who do not see it. */
  readonly label: string
  /** The text beside the name, given the value at the top and the length of the longest line. */
  readonly note: (top: number, length: number) => string
  /** A value that is drawn as a level. */
  readonly level?: number
}

/** The lines of one operation on a scale from 0. */
export function linePlot({ name, lines, label, note, level }: LinePlot) {
  const known = lines.flatMap(({ values }) => values.filter((value) => value !== null))
  if (known.length === 0) return html`<b><code>${name}</code></b> <span class="quiet">no success</span>`
  const length = Math.max(...lines.map(({ values }) => values.length))
  const x = scaleLinear([0, Math.max(1, length - 1)], [0, size.width])
  const y = scaleLinear([0, Math.max(level ?? 0, ...known)], [size.height, 0]).nice()
  const drawn = line<number | null>(
    (_, at) => x(at),
    (value) => y(value ?? 0),
  )
    .defined((value) => value !== null)
    .digits(2)
  const said = note(y.domain()[1] ?? 0, length)
  const levelLine =
    level === undefined ? null : html`<line x1="0" x2="${size.width}" y1="${y(level)}" y2="${y(level)}"/>`
  return html`<b><code>${name}</code></b> <span class="quiet">${said}</span>
<svg viewBox="0 0 ${size.width} ${size.height}" preserveAspectRatio="none" role="img" aria-label="${name}: ${label}, ${said}">${levelLine}${lines.map(
    ({ style, values }) => html`<path class="${style}" d="${drawn(values) ?? ''}"/>`,
  )}</svg>`
}
