import { html } from 'hono/html'
import { visible } from './sort.ts'

/** Of a character, in units of the picture; texts are stretched to fit. */
const width = 6.6
const padding = 7

/** A badge as SVG: a grey label, and beside it a green message. */
export function renderBadge(label: string, message: string): string {
  const [left, right] = [label, message].map((text) => Math.round(visible(text).length * width) + 2 * padding) as [
    number,
    number,
  ]
  const text = (shown: string, from: number, all: number) =>
    html`<text x="${from + padding}" y="14" textLength="${all - 2 * padding}">${visible(shown)}</text>`
  return `${html`<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${visible(label)}: ${visible(message)}">
<rect width="${left}" height="20" fill="#4a5058"/>
<rect x="${left}" width="${right}" height="20" fill="#17713b"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
${text(label, 0, left)}
${text(message, left, right)}
</g>
</svg>`}\n`
}
