import type { Target } from '../../target/types.ts'
import type { Defect, Fetch } from '../types.ts'
import { defect, type Json, making, onResponse, part, readdressed, refusing } from './tools.ts'

/** A plane is served below another path, which the target file names. */
function movedTo(plane: 'pods' | 'queue' | 'management', from: string, to: string): Pick<Defect, 'wrap' | 'file'> {
  return {
    wrap: (fetch: Fetch) => (request) =>
      fetch(request.url.includes(to) ? readdressed(request.url.replace(to, from), request) : request),
    file: (target) => {
      const section = target[plane]
      if (section === null) return target
      const paths = Object.entries(section.paths).map(([name, path]) => [name, path.replace(from, to)])
      return { ...target, [plane]: { ...section, paths: Object.fromEntries(paths) } } as Target
    },
  }
}

const isDocument = ({ url }: Request) => url.endsWith('/openapi.json')
const isPersistent = (body: unknown) => 'persistent' in (((body as Json).mounts ?? {}) as Json)

/** Versions in paths, and what is deprecated. */
export const version: readonly Defect[] = [
  defect('pods-below-v3', 'version.paths', 'pods', {
    says: 'Pods are under /v3/pods.',
    observed: '/v3/pods',
    ...movedTo('pods', '/v2/pods', '/v3/pods'),
  }),
  defect('endpoints-below-serverless', 'version.paths', 'queue', {
    says: 'Queue-based endpoints are under /v2/serverless.',
    observed: '/v2/serverless/normal/health',
    ...movedTo('queue', '/v2/', '/v2/serverless/'),
  }),
  defect('management-below-v2', 'version.paths', 'management', {
    says: 'Endpoint management is under /v2.',
    observed: '/v2/endpoints',
    ...movedTo('management', '/v1/endpoints', '/v2/endpoints'),
  }),
  defect('persistent-mounts-withdrawn', 'version.persistent-deprecated', 'accepted', {
    says: 'A creation with a persistent mount is refused.',
    observed: 'status 400',
    change: refusing('createPod', (body) => isPersistent(body) && [400, 'persistent mounts were withdrawn']),
  }),
  defect('persistent-mounts-ignored', 'version.persistent-deprecated', 'shown', {
    says: 'A persistent mount is ignored by creations.',
    observed: '{}',
    change: part('buildPod', (next, body) => {
      const pod = next()
      return isPersistent(body) ? { ...pod, mounts: {} } : pod
    }),
  }),
  defect('persistent-mounts-of-one-size', 'version.persistent-deprecated', 'shown', {
    says: 'A persistent mount has 10 GB, whatever its size.',
    observed: '{"persistent":{"size":10,"path":"/workspace"}}',
    change: making(({ mounts }) =>
      mounts.persistent ? { mounts: { persistent: { ...mounts.persistent, size: 10 } } } : {},
    ),
  }),
  defect('persistent-mounts-not-marked', 'version.persistent-marked', 'marked', {
    says: 'The API document does not mark persistent mounts as deprecated.',
    observed: 'no mark',
    wrap: onResponse(isDocument, ({ text }) => ({ text: text.replaceAll('"deprecated":true', '"deprecated":false') })),
  }),
]
