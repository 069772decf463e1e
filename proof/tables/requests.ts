import { AsyncLocalStorage } from 'node:async_hooks'
import type { OperationId } from '../../generated/operations.ts'
import { jsonIn } from '../../harness/exchange/exchange.ts'
import { type Members, membersOf } from '../../harness/exchange/read.ts'
import { composeOptions } from '../../reference/options.ts'
import type { PartWrappers } from '../../reference/parts.ts'
import type { Service } from '../../reference/service.ts'
import { isMadeOf, isText, type Wrong } from '../../suites/shared/table.ts'
import { type Change, knowing, requestOf } from '../defects/tools.ts'
import { embeddedTarget } from '../instance.ts'
import type { Fetch } from '../types.ts'
import { type Sent, tableOperation } from './operations.ts'
import { successOf } from './tools.ts'

/** A request of a case that goes wrong, and ways to answer it. */
export interface Wronged extends Sent {
  /** Its body if that is a JSON object. */
  readonly body: Members | null
  /** Serves it as it is, or with another body. */
  serve(body?: string): Promise<Response>
  /** Refuses it with a status, without serving it. */
  refuse(status: number, detail?: string): Promise<Response>
  /** Serves it as a service does in which one constraint is missing; a success has the usual status of the operation. */
  accept(): Promise<Response>
}

/** The requests of a case that go wrong. */
interface Meant<Branch> {
  readonly operation: OperationId
  readonly branch: Branch
  readonly wrong: Wrong<Branch>
}

/** Requests of a case, on one branch, are answered differently. */
export function answering<Branch>(meant: Meant<Branch>, answer: (wronged: Wronged) => Promise<Response>): Change {
  return (base) => {
    let service: Service
    const isMeant = requestOf(meant.operation)
    const wrapFetch = (fetch: Fetch) => async (request: Request) => {
      if (!isMeant(request)) return fetch(request)
      const bytes = new Uint8Array(await request.arrayBuffer())
      const { headers, method, url } = request
      const serve = (body: string | Uint8Array<ArrayBuffer> = bytes) =>
        fetch(new Request(url, { method, headers, ...(body.length === 0 ? {} : { body }) }))
      const text = new TextDecoder().decode(bytes)
      const sent: Sent = { body: jsonIn(text), url, service: () => service }
      const meanings = meaningsOf(meant, sent, bytes)
      if (meanings.length === 0) return serve()
      return answer(wrongedOf(meant, meanings, { ...sent, body: membersOf(sent.body), serve }))
    }
    const options = composeOptions(base, { parts: lenient, wrapFetch })
    return knowing((known) => {
      service = known as Service
    })(options)
  }
}

function wrongedOf<Branch>(
  { operation, wrong }: Meant<Branch>,
  meanings: readonly string[],
  more: Sent & Pick<Wronged, 'body' | 'serve'>,
): Wronged {
  const { serve } = more
  const success = successOf(operation)
  const isUnread = isText(wrong)
  return {
    ...more,
    async refuse(status, detail = notJson) {
      // The reference refuses this in the form of the plane.
      const response = await serve('{')
      const text = (await response.text()).replace(`"status":${response.status}`, `"status":${status}`)
      return new Response(text.replace(notJson, detail), { status, headers: response.headers })
    },
    async accept() {
      const response = await firstSuccess(serveLeniently)
      return response.ok
        ? new Response(await response.text(), { headers: response.headers, status: success })
        : response
    },
  }

  /** Only one constraint may be missing: a generated body that violates more must not become a pod. */
  function serveLeniently(text: string): Promise<Response> {
    return isUnread ? serve(text) : withoutOne(() => serve(text))
  }

  async function firstSuccess(send: (text: string) => Promise<Response>): Promise<Response> {
    const [first = '', ...others] = meanings
    let response = await send(first)
    for (const text of others) response = response.ok ? response : await send(text)
    return response
  }
}

/** Its words in every refusal of a body that is not JSON. */
const notJson = 'the body is not JSON'

/** The bodies that a request may stand for; none if it is not of the case. A text stands for the valid body that it is made of. */
function meaningsOf<Branch>(meant: Meant<Branch>, sent: Sent, bytes: Uint8Array): readonly string[] {
  const { branch, operation, wrong } = meant
  const { isOf, validBodies } = tableOperation(operation)
  if (!isOf(branch, sent)) return []
  const text = new TextDecoder().decode(bytes)
  if (!isText(wrong)) return isCase(meant, sent.body) ? [text] : []
  const known = validBodies?.(branch).map((valid) => JSON.stringify(valid)) ?? readings(text)
  return known.filter((json) => jsonIn(json) !== undefined && Buffer.from(wrong.text(json)).equals(bytes))
}

/** True if a body is that of a case. */
export function isCase<Branch>(
  { branch, operation, wrong }: Pick<Meant<Branch>, 'branch' | 'operation' | 'wrong'>,
  body: unknown,
): boolean {
  const own = membersOf(body)
  const made: readonly Members[] = tableOperation(operation).validBodies?.(branch) ?? (own === null ? [] : [own])
  return body !== undefined && made.some((valid) => isMadeOf(valid, wrong, body, embeddedTarget(), branch))
}

/** The bodies for which a lenient reader might take a text. */
function readings(text: string): readonly string[] {
  const end = text.lastIndexOf('}')
  return [`${text}}`, text.slice(0, end + 1), text.replace(/,\}$/, '}'), text.replaceAll("'", '"')]
}

/** One request that the reference serves without one constraint. */
interface Leniency {
  /** The constraint that is not enforced: the first one that the request violates. */
  missing: string | null
}

const served = new AsyncLocalStorage<Leniency>()

/** Constraints are enforced for all requests but the ones that `withoutOne` serves. */
const lenient: PartWrappers = {
  enforces: (original) => (constraint, body) => {
    const leniency = served.getStore()
    if (leniency === undefined) return original(constraint, body)
    leniency.missing ??= constraint
    return constraint !== leniency.missing
  },
}

/** Serves a request without the first constraint that it violates. */
function withoutOne<T>(serve: () => T): T {
  return served.run({ missing: null }, serve)
}
