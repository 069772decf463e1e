import { answers, asValue, carriesOut, deeply, ofCase, pretends, readsAs, restates } from '../fuzz/tools.ts'
import type { Defect } from '../types.ts'
import { afterwards, answered, defect, is } from './tools.ts'

const moved = '{"mounts":{"network":[{"volumeId":"vol-1","path":"/workspace-b"}]}}'

/** Defects that only mutated bodies reveal; `proof/fuzz/` has many more, tried in its test. */
export const fuzz: readonly Defect[] = [
  defect('action-in-full-width-letters-accepted', 'pods.action-body.fuzz', 'answer', {
    says: 'An action in full-width letters is taken for the usual one.',
    ...ofCase('status 200 to look-alike at $.action'),
    wrap: readsAs(
      'action',
      asValue((value) => deeply(value, (member) => (typeof member === 'string' ? member.normalize('NFKC') : member))),
    ),
  }),
  defect('action-cut-off-refused-and-carried-out', 'pods.action-body.fuzz', 'unchanged', {
    says: 'A body that is cut off before its last bracket is answered 400, and the pod stops.',
    ...ofCase('actions ["start","terminate"], status "EXITED" after truncated at $'),
    wrap: carriesOut('action', (body) => (body.endsWith('"stop"') ? `${body}}` : null)),
  }),
  defect('terminate-extra-refused-and-renamed', 'pods.action-body.fuzz', 'unchanged', {
    says: 'A terminate with a further property that is null is refused, and the pod has another name.',
    ...ofCase('name "renamed" after extra-null at $'),
    wrap: afterwards(answered(422, is.action), async ({ url, headers }, { action, plumbline }, fetch) => {
      if (action !== 'terminate' || plumbline !== null) return
      await fetch(new Request(url.replace(/\/action$/, ''), { method: 'PATCH', headers, body: '{"name":"renamed"}' }))
    }),
  }),
  defect('action-with-an-escape-not-carried-out', 'pods.action-body.fuzz', 'carried-out', {
    says: 'An action whose text is written with an escape is answered 200, and nothing happens.',
    ...ofCase('status RUNNING after escaped at $.action'),
    wrap: pretends('action', (body) => body === '{"action":"\\u0073top"}'),
  }),
  defect('patch-octal-number-accepted', 'pods.patch.fuzz', 'answer', {
    says: 'A number in a PATCH may begin with 0, which is not JSON.',
    ...ofCase('status 200 to leading-zero at $.mounts.persistent.size'),
    wrap: readsAs('patch', (body) => body.replace(':010', ':10')),
  }),
  defect('patch-extra-refused-and-moved', 'pods.patch.fuzz', 'unchanged', {
    says: 'A network mount with a further property that is null is refused, and its path has changed.',
    ...ofCase(
      'mounts {"network":[{"volumeId":"vol-1","path":"/workspace-b"}]} after extra-null at $.mounts.network[0]',
    ),
    wrap: carriesOut('patch', (body) => (body.includes('-b","plumbline":null}]') ? moved : null)),
  }),
  defect('patch-with-a-byte-order-mark-not-applied', 'pods.patch.fuzz', 'mount', {
    says: 'A PATCH that begins with a byte order mark is answered 200, and the mount stays as it was.',
    ...ofCase('mounts {"network":[{"volumeId":"vol-1","path":"/workspace"}]} after bom at $'),
    wrap: pretends('patch', (body) => body.startsWith('\xef\xbb\xbf')),
  }),
  defect('creation-disk-text-accepted', 'pods.create.fuzz', 'answer', {
    says: 'The disk of a creation may be a number in a text.',
    ...ofCase('status 201 to as-text at $.disk'),
    wrap: readsAs('create', (body) => body.replace('"disk":"15"', '"disk":15')),
  }),
  defect('creation-fraction-truncated', 'pods.create.fuzz', 'kept', {
    says: 'The disk of a creation that is written as 15.0 is taken for 150.',
    ...ofCase('disk 150 after float-form at $.disk'),
    wrap: readsAs('create', (body) => body.replace('"disk":15.0', '"disk":150')),
  }),
  defect('creation-extra-refused-and-created', 'pods.create.fuzz', 'no-pod', {
    says: 'A creation with a further property that is null is refused, and the pod is created.',
    ...ofCase('a pod of: extra-null at $'),
    wrap: carriesOut('create', (body) =>
      body.includes('"plumbline":null') ? body.replace(',"plumbline":null', '') : null,
    ),
  }),
  defect('run-passes-over-comment', 'queue.body.fuzz', 'run', {
    says: 'The operation /run passes over a comment before a submission.',
    observed: 'status 200 to comment at $',
    wrap: readsAs('run', (body) => body.replace('/* now */', '')),
  }),
  defect('run-fraction-is-a-fault', 'queue.body.fuzz', 'run', {
    says: 'The operation /run answers 500 to a ttl with a fraction.',
    observed: 'status 500 to fraction at $.policy.ttl',
    wrap: restates('run', (body) => /"ttl":\d+\.5/.test(body), 500),
  }),
  defect('runsync-ttl-text-422', 'queue.body.fuzz', 'runsync', {
    says: 'The operation /runsync answers 422 to a ttl that is a text.',
    observed: 'status 422 to as-text at $.policy.ttl',
    wrap: restates('runsync', (body) => body.includes('"ttl":"'), 422),
  }),
  defect('runsync-refuses-all', 'queue.body.fuzz', 'runsync', {
    says: 'The operation /runsync answers 400 to every submission.',
    observed: 'status 400 to as-is at $',
    wrap: answers('runsync', () => true, 400),
  }),
  defect('spaced-submission-without-job', 'queue.body.fuzz', 'id', {
    says: 'A submission with white space around its parts is answered 200, and no job is made of it.',
    observed: 'no id',
    wrap: answers('run', (body) => body.includes('\t'), 200),
  }),
]
