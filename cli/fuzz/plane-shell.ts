import { operationsOf } from '../../generated/operations.ts'
import { pathOf, routeOf } from '../../harness/client/caller.ts'
import { mayBeHeld } from '../../harness/planes/index.ts'
import { describeTarget } from '../../harness/record/describe.ts'
import { targetFacts } from '../../results/rerun.ts'
import { createShellRequests, type ShellRequest } from '../../results/shell-requests.ts'
import type { Target } from '../../target/types.ts'
import { program } from '../shared/package-paths.ts'

interface RequestOptions {
  /** The variable that has the id of its pod or job. */
  readonly variable?: string
  /** The id of its endpoint. */
  readonly endpoint?: string
  readonly key?: 'full' | 'stranger'
  readonly body?: ShellRequest['body']
}

/** Shell lines about a plane of a target. */
export function createPlaneShell(target: Target, name: 'pods' | 'queue') {
  const described = describeTarget(target)
  const section = described[name]
  if (section === null) throw new Error(`the target file has no address of ${name}`)
  const { url, paths } = section
  const headers = Object.entries(described.network.headers)
  const templates: Readonly<Record<string, string>> = paths
  const operations: Readonly<Record<string, { readonly method: string }>> = operationsOf(name)
  const clock = target.clock === 'real' ? 'real' : 'remote'
  const facts = targetFacts({ target: described, clock, program })
  return {
    ...createShellRequests({ ...facts, base: url }),
    /** The request of an operation. */
    request(
      operation: string,
      { variable, endpoint = '', key = 'full', body = null }: RequestOptions = {},
    ): ShellRequest {
      const { method, path } = routeOf(templates[operation] ?? '', operations[operation]?.method ?? 'GET')
      const address = pathOf(path, { endpoint }).replace(/\{\w+\}/, `«${variable}»`)
      const type: [string, string][] = body === null ? [] : [['Content-Type', 'application/json']]
      const authorization: [string, string] = ['Authorization', `Bearer «key.${key}»`]
      const all = [...headers, authorization, ...type]
      return { method, url: url + address, headers: all, body, isHeld: mayBeHeld(operation) }
    },
  }
}
