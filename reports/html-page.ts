import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import type { Markup } from './html-failure.ts'

interface Page {
  readonly title: string
  readonly style: string
  /** The only script of the page; missing if it has none. */
  readonly script?: string
  readonly body: Markup
}

/** A page in one file that loads nothing: its policy permits only its own style and script. */
export function renderPage({ title, style, script, body }: Page): string {
  const scripts = script === undefined ? '' : ` script-src ${hashOf(script)};`
  const policy = `default-src 'none'; style-src ${hashOf(style)};${scripts} base-uri 'none'; form-action 'none'`
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
${body}
${script === undefined ? null : html`<script>${raw(script)}</script>\n`}</body>
</html>
`
  if (page instanceof Promise) throw new Error('a part of the page is a promise; pass only values to renderPage')
  return page.toString()
}

/** A source of the page's policy: the hash of an inline style or script. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** A table that scrolls by itself; the first cell of each row is its heading. */
export function grid(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly (Markup | string | number)[])[],
): Markup {
  const cell = (value: Markup | string | number, at: number) =>
    at === 0 ? html`<th scope="row">${value}</th>` : html`<td>${value}</td>`
  return html`<div class="wide" role="region" aria-label="${caption}" tabindex="0"><table><caption>${caption}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map(cell)}</tr>\n`)}</tbody></table></div>`
}
