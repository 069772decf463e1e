import { asValue, carriesOut, deeply, pretends, readsAs } from '../fuzz/tools.ts'
import type { Defect } from '../types.ts'
import { afterwards, is } from './tools.ts'

const moved = '{"mounts":{"network":[{"volumeId":"vol-1","path":"/workspace-b"}]}}'

/** What only odd bodies bring to light; `proof/fuzz/` has many more, tried in its test. */
export const fuzzPods = [
  {
    id: 'action-in-full-width-letters-accepted',
    rule: 'pods.action-body.fuzz',
    clause: 'answer',
    says: 'An action in full-width letters is taken for the usual one.',
    observed: 'status 200 to look-alike at $.action',
    wrap: readsAs(
      'action',
      asValue((value) => deeply(value, (member) => (typeof member === 'string' ? member.normalize('NFKC') : member))),
    ),
  },
  {
    id: 'action-cut-off-refused-and-carried-out',
    rule: 'pods.action-body.fuzz',
    clause: 'unchanged',
    says: 'A body that is cut off before its last bracket is answered 400, and the pod stops.',
    observed: 'actions ["start","terminate"], status "EXITED" after truncated at $',
    wrap: carriesOut('action', (body) => (body.endsWith('"stop"') ? `${body}}` : null)),
  },
  {
    id: 'terminate-extra-refused-and-renamed',
    rule: 'pods.action-body.fuzz',
    clause: 'unchanged',
    says: 'A terminate with a further property that is null is refused, and the pod has another name.',
    observed: 'name "renamed" after extra-null at $',
    wrap: afterwards(
      (request, { status }) => is.action(request) && status === 422,
      async ({ url, headers }, { action, plumbline }, fetch) => {
        if (action !== 'terminate' || plumbline !== null) return
        await fetch(new Request(url.replace(/\/action$/, ''), { method: 'PATCH', headers, body: '{"name":"renamed"}' }))
      },
    ),
  },
  {
    id: 'action-with-an-escape-not-carried-out',
    rule: 'pods.action-body.fuzz',
    clause: 'carried-out',
    says: 'An action whose text is written with an escape is answered 200, and nothing happens.',
    observed: 'status RUNNING after escaped at $.action',
    wrap: pretends('action', (body) => body === '{"action":"\\u0073top"}'),
  },
  {
    id: 'patch-octal-number-accepted',
    rule: 'pods.patch.fuzz',
    clause: 'answer',
    says: 'A number in a PATCH may begin with 0, which is no JSON.',
    observed: 'status 200 to leading-zero at $.mounts.persistent.size',
    wrap: readsAs('patch', (body) => body.replace(':010', ':10')),
  },
  {
    id: 'patch-extra-refused-and-moved',
    rule: 'pods.patch.fuzz',
    clause: 'unchanged',
    says: 'A network mount with a further property that is null is refused, and its path has changed.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace-b"}]} after extra-null at $.mounts.network[0]',
    wrap: carriesOut('patch', (body) => (body.includes('-b","plumbline":null}]') ? moved : null)),
  },
  {
    id: 'patch-with-a-byte-order-mark-not-applied',
    rule: 'pods.patch.fuzz',
    clause: 'mount',
    says: 'A PATCH that begins with a byte order mark is answered 200, and the mount stays as it was.',
    observed: 'mounts {"network":[{"volumeId":"vol-1","path":"/workspace"}]} after bom at $',
    wrap: pretends('patch', (body) => body.startsWith('\xef\xbb\xbf')),
  },
  {
    id: 'creation-disk-text-accepted',
    rule: 'pods.create.fuzz',
    clause: 'answer',
    says: 'The disk of a creation may be a number in a text.',
    observed: 'status 201 to as-text at $.disk',
    wrap: readsAs('create', (body) => body.replace('"disk":"15"', '"disk":15')),
  },
  {
    id: 'creation-fraction-truncated',
    rule: 'pods.create.fuzz',
    clause: 'kept',
    says: 'The disk of a creation that is written as 15.0 is taken for 150.',
    observed: 'disk 150 after float-form at $.disk',
    wrap: readsAs('create', (body) => body.replace('"disk":15.0', '"disk":150')),
  },
  {
    id: 'creation-extra-refused-and-created',
    rule: 'pods.create.fuzz',
    clause: 'no-pod',
    says: 'A creation with a further property that is null is refused, and the pod is created.',
    observed: 'a pod of: extra-null at $',
    wrap: carriesOut('create', (body) =>
      body.includes('"plumbline":null') ? body.replace(',"plumbline":null', '') : null,
    ),
  },
] as const satisfies readonly Defect[]
