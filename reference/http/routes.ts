import { RegExpRouter } from 'hono/router/reg-exp-router'
import { operations, type PlaneName } from '../../generated/operations.ts'
import type { Operation } from '../operations.ts'
import { Refusal } from './refusal.ts'

/** The operation that a request asks for, and the segments of its path that the placeholders stand for, as sent. */
interface Match<O> {
  readonly operation: O
  readonly params: Readonly<Record<string, string>>
}

interface Route<O> {
  readonly byMethod: Readonly<Record<string, O>>
  /** The value of Allow. */
  readonly allow: string
}

/** Paths of operations beside those of the API document. */
type MorePaths = Readonly<Partial<Record<Operation, string>>>

/** The operations of a plane by method and path, as the API document has them. */
export function createRoutes<O extends Operation>(plane: PlaneName, more: MorePaths = {}) {
  const router = new RegExpRouter<Route<O>>()
  for (const [path, route] of routesOf<O>(plane, more)) router.add('GET', path, route)
  const has = (pathname: string): boolean => router.match('GET', pathname)[0].length > 0

  /**
   * Finds an operation; HEAD counts as GET.
   * @param unknownMethod status of the refusal of a method that a known path does not have.
   * @throws Refusal 404 if the path is unknown.
   */
  const match = (method: string, pathname: string, unknownMethod: 404 | 405 = 405): Match<O> => {
    const [[found], segments = []] = router.match('GET', pathname)
    if (found === undefined) throw new Refusal(404, 'no such route')
    const [{ byMethod, allow }, places] = found
    const operation = byMethod[method === 'HEAD' ? 'GET' : method]
    if (operation === undefined) {
      if (unknownMethod === 404) throw new Refusal(404, 'no such operation')
      throw new Refusal(405, `the method ${method} is not allowed here`, { headers: { allow } })
    }
    const named = Object.entries(places).map(([name, place]) => [name, segments[place as number] ?? ''])
    return { operation, params: Object.fromEntries(named) }
  }
  return { has, match }
}

function routesOf<O>(plane: PlaneName, more: MorePaths): Map<string, Route<O>> {
  const facts = Object.entries(operations).filter(([, one]) => one.plane === plane)
  const paths = facts.flatMap(([operation, { method, path }]) =>
    [path, more[operation as Operation]].flatMap((one) =>
      one === undefined ? [] : [{ path: patternOf(one), method, operation: operation as O }],
    ),
  )
  return new Map(
    [...Map.groupBy(paths, ({ path }) => path)].map(([path, all]) => {
      const methods = all.map(({ method }) => method)
      const allow = (methods.includes('GET') ? ['HEAD', ...methods] : methods).join(', ')
      return [path, { byMethod: Object.fromEntries(all.map((one) => [one.method, one.operation])), allow }]
    }),
  )
}

/** A path of the document in the syntax of the router; `{route}` is whatever follows, with its slash. */
function patternOf(path: string): string {
  return path.replace('{route}', '/:route{.+}').replaceAll(/\{(\w+)\}/g, ':$1')
}
