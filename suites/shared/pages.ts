import type { ApiResponse } from '../../harness/client/api-response.ts'
import { membersOf } from '../../harness/exchange/read.ts'

/** Members that name another page, such as `nextCursor` or `has_more`. */
const another = /^(next|has_?more|has_?next)/i
/** Members that count the resources of all pages. */
const total = /^total_?(count|items|results)?$/i

/**
 * Why a list may lack resources: its response shows that it is one page of several. Null if it does not. The description shows no
 * list, so rules read the first page alone.
 */
export function pageText(response: Pick<ApiResponse, 'json' | 'list'>, length: number): string | null {
  const shown = /\brel="?next\b/i.test(response.list('link') ?? '')
    ? 'a link to the next one'
    : shownIn(response.json, length)
  return shown === null
    ? null
    : `the list is one page of several, as ${shown} shows, and only the first is read; use an account with fewer resources`
}

/** The member beside a list, or one level below, that shows another page. */
function shownIn(json: unknown, length: number): string | null {
  const top = membersOf(json) ?? {}
  const entries = [top, ...Object.values(top).map((value) => membersOf(value) ?? {})].flatMap(Object.entries)
  const isShown = ([name, value]: readonly [string, unknown]) =>
    (another.test(name) && isGiven(value)) || (total.test(name) && typeof value === 'number' && value > length)
  return entries.find(isShown)?.[0] ?? null
}

/** False for `null`, and for a link such as `{href: null}`. */
function isGiven(value: unknown): boolean {
  const members = membersOf(value)
  if (members === null) return Boolean(value)
  return 'href' in members ? Boolean(members.href) : Object.values(members).some(isGiven)
}
