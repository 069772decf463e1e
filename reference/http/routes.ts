import { RegExpRouter } from 'hono/router/reg-exp-router'
import { operations, type PlaneName } from '../../generated/operations.ts'
import type { AnyOperation } from '../operations.ts'
import { Refusal } from './refusal.ts'

/** The operation that a request asks for, and the segments of its path that the placeholders stand for, as sent. */
export interface Match<Operation> {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
}

interface Route<Operation> {
  readonly byMethod: Readonly<Record<string, Operation>>
  /** The value of Allow. */
  readonly allow: string
}

/** Paths of operations beside those of the API document. */
export type MorePaths = Readonly<Partial<Record<AnyOperation, string>>>

/**
 * Finds the operations of a plane by method and path, as the API document has them; HEAD counts as GET.
 * @param unknownMethod status of the refusal of a method that a known path does not have.
 * @throws Refusal 404 if the path is unknown.
 */
export function createRoutes<Operation extends AnyOperation>(plane: PlaneName, more: MorePaths = {}) {
  const router = new RegExpRouter<Route<Operation>>()
  for (const [path, route] of routesOf<Operation>(plane, more)) router.add('GET', path, route)
  return (method: string, pathname: string, unknownMethod: 404 | 405 = 405): Match<Operation> => {
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
}

function routesOf<Operation>(plane: PlaneName, more: MorePaths): Map<string, Route<Operation>> {
  const facts = Object.entries(operations).filter(([, one]) => one.plane === plane)
  const paths = facts.flatMap(([operation, { method, path }]) =>
    [path, more[operation as AnyOperation]].flatMap((one) =>
      one === undefined ? [] : [{ path: patternOf(one), method, operation: operation as Operation }],
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
