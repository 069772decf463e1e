import type { RuleId } from '../../generated/rules.ts'
import { partOf } from '../../suites/fuzz/cases.ts'
import { defect, readOf } from '../defects/tools.ts'
import { defectId } from '../tables/tools.ts'
import type { Defect, Fetch, Variant } from '../types.ts'

type Wrap = NonNullable<Variant['wrap']>

/** An observation that ends with a case, such as `status 200 to padded at $.action`, and the part of the cases that has it. */
export function ofCase(observed: string): Pick<Defect, 'observed' | 'variation'> {
  const [text = ''] = /\S+ at \S+$/.exec(observed) ?? []
  return { observed, variation: { part: partOf(text) } }
}

/** The operations whose bodies are misread. */
type Read = 'action' | 'create' | 'patch' | 'run' | 'runsync'

/** A body as text, each byte one character, so that no byte is lost. */
export type Rewrite = (body: string) => string | null

const paths: Readonly<Record<Read, (request: Request) => boolean>> = {
  action: ({ method, url }) => method === 'POST' && url.endsWith('/action'),
  create: ({ method, url }) => method === 'POST' && url.endsWith('/v2/pods'),
  patch: ({ method }) => method === 'PATCH',
  run: ({ url }) => url.endsWith('/run'),
  runsync: ({ url }) => url.endsWith('/runsync'),
}

/** By the sentence of each defect: where it shows, or what is observed, and the change. */
type Misread<T> = Readonly<Record<string, readonly [at: string, change: T]>>

/** Makes defects that misread bodies, found by the rule that fuzzes the operation. */
export function misreadBodies(operation: Read, rule: RuleId) {
  const defects = <T>(
    all: Misread<T>,
    clause: string,
    of: (at: string, change: T) => Pick<Defect, 'observed' | 'wrap'>,
  ) =>
    Object.entries(all).map(([says, [at, change]]) =>
      defect(defectId(rule, says), rule, clause, { says, ...ofCase(at), ...of(at, change) }),
    )
  return {
    /** Bodies that are read as others. */
    lenient: (all: Misread<Rewrite>) =>
      defects(all, 'answer', (at, rewrite) => ({ observed: `status 200 to ${at}`, wrap: readsAs(operation, rewrite) })),
    /** Other responses. */
    wrong: (all: Misread<Wrap>) => defects(all, 'answer', (observed, wrap) => ({ observed, wrap })),
    /** Refused bodies that are carried out. */
    done: (all: Misread<Rewrite>) =>
      defects(all, 'unchanged', (observed, meant) => ({
        observed,
        wrap: carriesOut(operation, (body) => (meant(body) === body ? null : meant(body))),
      })),
  }
}

/** Bodies are rewritten before anything reads them, as a reader does that makes out what was meant; null leaves one as it is. */
export function readsAs(operation: Read, rewrite: Rewrite): Wrap {
  return onBody(operation, (body, request, fetch) => {
    const other = rewrite(body)
    return fetch(other === null ? request : withBody(request, other))
  })
}

/** Bodies that `isMeant` picks are answered with a status, and nothing else happens. */
export function answers(operation: Read, isMeant: (body: string) => boolean, status: number): Wrap {
  return onBody(operation, (body, request, fetch) => (isMeant(body) ? problem(status) : fetch(request)))
}

/** Refusals with one status get another if `isMeant` picks the body. */
export function restates(operation: Read, isMeant: (body: string) => boolean, status: number): Wrap {
  return onBody(operation, async (body, request, fetch) => {
    const response = await fetch(request)
    return response.status >= 400 && isMeant(body) ? problem(status) : response
  })
}

/** Refused requests are carried out as well, as the body that `meant` makes of theirs; null leaves them. */
export function carriesOut(operation: Read, meant: Rewrite): Wrap {
  return onBody(operation, async (body, request, fetch) => {
    const copy = withBody(request, meant(body) ?? '')
    const response = await fetch(request)
    if (response.status >= 400 && meant(body) !== null) await fetch(copy)
    return response
  })
}

/** Bodies that `isMeant` picks are answered as if they were carried out, and are not. */
export function pretends(operation: Read, isMeant: (body: string) => boolean): Wrap {
  return onBody(operation, (body, request, fetch) => {
    return fetch(isMeant(body) ? readOf(request) : request)
  })
}

/** The value of a body that is JSON, changed; a body that is no JSON is left as it is. */
export function asValue(change: (value: unknown) => unknown): Rewrite {
  return (body) => {
    try {
      const changed = change(JSON.parse(Buffer.from(body, 'latin1').toString()))
      return Buffer.from(JSON.stringify(changed)).toString('latin1')
    } catch {
      return null
    }
  }
}

/** Every value within a value changed, from the inside out; a member of which nothing is left is left out. */
export function deeply(value: unknown, change: (value: unknown, name: string) => unknown, name = ''): unknown {
  if (Array.isArray(value))
    return change(
      value.map((item) => deeply(item, change)),
      name,
    )
  if (typeof value !== 'object' || value === null) return change(value, name)
  const members = Object.entries(value).map(([key, member]) => [key, deeply(member, change, key)] as const)
  return change(Object.fromEntries(members.filter(([, member]) => member !== undefined)), name)
}

/** Only members of these names, in every object. */
export function onlyMembers(...names: readonly string[]): (value: unknown) => unknown {
  return (value) => deeply(value, (member, name) => (name === '' || names.includes(name) ? member : undefined))
}

function onBody(
  operation: Read,
  serve: (body: string, request: Request, fetch: Fetch) => Promise<Response> | Response,
): Wrap {
  return (fetch) => async (request) => {
    if (!paths[operation](request)) return fetch(request)
    const body = Buffer.from(await request.clone().arrayBuffer()).toString('latin1')
    return serve(body, request, fetch)
  }
}

function withBody({ url, method, headers }: Request, body: string): Request {
  return new Request(url, { method, headers, body: Buffer.from(body, 'latin1') })
}

function problem(status: number): Response {
  const body = { title: 'Something else', status, detail: 'this was not foreseen' }
  return Response.json(body, { status, headers: { 'content-type': 'application/problem+json' } })
}
