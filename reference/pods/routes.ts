import { Refusal } from '../http/refusal.ts'
import type { Operation } from '../operations.ts'

/** The operation that a request asks for, and the pod that its path names (empty where it names none). */
export interface Match {
  readonly operation: Operation
  readonly id: string
}

interface Route {
  readonly operations: Readonly<Partial<Record<string, Operation>>>
  /** The value of Allow. */
  readonly allow: string
}

const PODS = '/v2/pods'
const POD = `${PODS}/`
const ACTION = '/action'

const list = route({ GET: 'listPods', POST: 'createPod' })
const pod = route({ GET: 'getPod', PATCH: 'updatePod', DELETE: 'deletePod' })
const action = route({ POST: 'triggerPodAction' })
const cpus = route({ GET: 'listCpuFlavors' })

/**
 * @param method HEAD is taken for GET.
 * @throws Refusal 404 for an unknown path, 405 with Allow for an unknown method of a known one.
 */
export function matchPodRoute(method: string, pathname: string): Match {
  if (pathname === PODS) return pick(list, method, '')
  if (pathname === '/v2/catalog/cpus') return pick(cpus, method, '')
  if (!pathname.startsWith(POD)) throw new Refusal(404, 'no such route')
  const rest = pathname.slice(POD.length)
  const slash = rest.indexOf('/')
  if (slash === -1 && rest !== '') return pick(pod, method, rest)
  if (slash > 0 && rest.slice(slash) === ACTION) return pick(action, method, rest.slice(0, slash))
  throw new Refusal(404, 'no such route')
}

function pick({ allow, operations }: Route, method: string, id: string): Match {
  const operation = operations[method === 'HEAD' ? 'GET' : method]
  if (operation === undefined)
    throw new Refusal(405, `the method ${method} is not allowed here`, { headers: { allow } })
  return { operation, id }
}

function route(operations: Route['operations']): Route {
  const methods = Object.keys(operations)
  return { operations, allow: (methods.includes('GET') ? ['HEAD', ...methods] : methods).join(', ') }
}
