import { type OperationFacts, type OperationId, operations } from '../../generated/operations.ts'
import { jsonIn } from '../../harness/exchange/exchange.ts'
import { type Members, membersOf } from '../../harness/exchange/read.ts'
import { composeOptions } from '../../reference/options.ts'
import type { Service } from '../../reference/service.ts'
import { isMadeOf, isText, type Wrong } from '../../suites/shared/table.ts'
import { type Change, knowing } from '../defects/tools.ts'
import { embeddedTarget } from '../instance.ts'
import type { Fetch } from '../types.ts'
import { lenient, withoutAll, withoutOne } from './lenient.ts'
import { type Sent, tableOperation } from './operations.ts'
import { successOf } from './tools.ts'

/** A request of a case that goes wrong, and ways to answer it. */
export interface Wronged {
  readonly request: Request
  /** Its body if that is a JSON object. */
  readonly body: Members | null
  /** The reference that serves it. */
  readonly service: () => Service
  /** Serves it as it is, or with another body. */
  serve(body?: string): Promise<Response>
  /** Refuses it with a status, without serving it. */
  refuse(status: number, detail?: string): Promise<Response>
  /** Serves it as a service does in which one constraint is missing; a success has the usual status of the operation. */
  accept(): Promise<Response>
  /** Carries out what was meant, whatever is wrong with it. */
  carryOut(): Promise<Response>
}

/** The requests of a case that go wrong. */
export interface Meant<Branch> {
  readonly operation: OperationId
  readonly branch: Branch
  readonly branches: readonly Branch[]
  readonly wrong: Wrong<Branch>
}

/** Requests of a case, on one branch, are answered differently. */
export function answering<Branch>(meant: Meant<Branch>, answer: (wronged: Wronged) => Promise<Response>): Change {
  return (base) => {
    let service: Service
    const wrapFetch = (fetch: Fetch) => async (request: Request) => {
      if (!isRequestOf(meant.operation, request)) return fetch(request)
      const bytes = new Uint8Array(await request.arrayBuffer())
      const { headers, method, url } = request
      const serve = (body: string | Uint8Array<ArrayBuffer> = bytes) =>
        fetch(new Request(url, { method, headers, ...(body.length === 0 ? {} : { body }) }))
      const text = new TextDecoder().decode(bytes)
      const sent: Sent = { body: jsonIn(text), url, service: () => service }
      const body = meantBody(meant, sent, bytes)
      return body === null
        ? serve()
        : answer(wrongedOf(meant, body, { ...sent, body: membersOf(sent.body), request, serve }))
    }
    const options = composeOptions(base, { parts: lenient, wrapFetch })
    return knowing((known) => {
      service = known as Service
    })(options)
  }
}

function wrongedOf<Branch>(
  { operation, wrong }: Meant<Branch>,
  text: string,
  more: Pick<Wronged, 'body' | 'request' | 'serve' | 'service'>,
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
      const response = await (isUnread ? serve(text) : withoutOne(() => serve(text)))
      return response.ok
        ? new Response(await response.text(), { headers: response.headers, status: success })
        : response
    },
    carryOut: () => (isUnread ? serve(text) : withoutAll(() => serve(text))),
  }
}

/** Its words in every refusal of a body that is not JSON. */
const notJson = 'the body is not JSON'

/** The body that a request stands for if it is of the case: its own, or the valid one in place of which a text is sent. */
function meantBody<Branch>(meant: Meant<Branch>, sent: Sent, bytes: Uint8Array): string | null {
  const { branch, branches, operation, wrong } = meant
  const { isOf, validBodies } = tableOperation(operation)
  if (branches.length > 1 && !isOf(branch, sent)) return null
  if (!isText(wrong)) return isCase(meant, sent.body) ? new TextDecoder().decode(bytes) : null
  const meantTexts =
    validBodies?.(branch).map((valid) => JSON.stringify(valid)) ?? readings(new TextDecoder().decode(bytes))
  return meantTexts.find((json) => jsonIn(json) !== undefined && Buffer.from(wrong.text(json)).equals(bytes)) ?? null
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

/** What a lenient reader might take a text for. */
function readings(text: string): readonly string[] {
  const end = text.lastIndexOf('}')
  return [`${text}}`, text.slice(0, end + 1), text.replace(/,\}$/, '}'), text.replaceAll("'", '"')]
}

const patterns = new Map<OperationId, RegExp>()

function isRequestOf(operation: OperationId, { method, url }: Request): boolean {
  const facts: OperationFacts = operations[operation]
  const pattern = patterns.get(operation) ?? new RegExp(`^${facts.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  patterns.set(operation, pattern)
  return method === facts.method && pattern.test(new URL(url).pathname)
}
