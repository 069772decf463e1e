import type { Defect } from '../types.ts'
import { answers, asValue, carriesOut, deeply, readsAs, restates, type Wrap } from './tools.ts'

type Rewrite = Parameters<typeof readsAs>[1]

const size = '$.mounts.persistent.size'
const path = '$.mounts.network[0].path'
const volumeId = '$.mounts.network[0].volumeId'

/** Odd mounts in a PATCH that a reader takes in its own way. */
export const oddPatches: readonly Defect[] = [
  lenient('ignores-extra', 'Unknown properties of a PATCH are ignored.', 'extra at $.mounts', without('plumbline')),
  lenient(
    'ignores-entry-extra',
    'Unknown properties of a network mount are ignored.',
    'extra at $.mounts.network[0]',
    members('network', 'plumbline'),
  ),
  lenient(
    'folds-names',
    'The case of the names of a PATCH does not matter.',
    'other-name at $.mounts.network',
    (body) => body.replace('"Network"', '"network"'),
  ),
  lenient(
    'number-path',
    'A path that is a number is taken for text.',
    `as-number at ${path}`,
    member('path', (value) => (typeof value === 'number' ? String(value) : value)),
  ),
  lenient(
    'list-path',
    'Of a list of paths the first is taken.',
    `as-list at ${path}`,
    member('path', (value) => (Array.isArray(value) ? value[0] : value)),
  ),
  lenient(
    'null-path',
    'A path that is null is taken for the root.',
    `null at ${path}`,
    member('path', (value) => value ?? '/'),
  ),
  lenient(
    'bare-entry',
    'A network mount need not stand in a list.',
    'as-object at $.mounts.network',
    member('network', (value) => (isObject(value) ? value.value : value)),
  ),
  lenient(
    'text-mounts',
    'JSON in a JSON string is taken for mounts.',
    'as-text at $.mounts',
    member('mounts', (value) => (typeof value === 'string' ? JSON.parse(value) : value)),
  ),
  lenient(
    'first-entry',
    'Of two network mounts the first is taken.',
    'one-more at $.mounts.network',
    member('network', (value) => (Array.isArray(value) ? value.slice(0, 1) : value)),
  ),
  lenient(
    'other-volume',
    'The volume in a PATCH is not looked at.',
    `empty-text at ${volumeId}`,
    member('volumeId', (value) => (typeof value === 'string' ? 'vol-1' : value)),
  ),
  lenient(
    'no-volume',
    'The volume of a network mount may be left out.',
    `missing at ${volumeId}`,
    member('network', (value) => entries(value, (entry) => ({ volumeId: 'vol-1', ...entry }))),
  ),
  lenient(
    'truncates-size',
    'A size with a fraction is cut to a whole number.',
    `fraction at ${size}`,
    member('size', (value) => (typeof value === 'number' ? Math.trunc(value) : value)),
  ),
  lenient(
    'text-size',
    'A size may be text.',
    `as-text at ${size}`,
    member('size', (value) => (typeof value === 'string' ? Number(value) : value)),
  ),
  lenient(
    'true-size',
    'A size may be true.',
    `as-true at ${size}`,
    member('size', (value) => (value === true ? 10 : value)),
  ),
  lenient(
    'least-size',
    'A size below the least is brought to it.',
    `below-minimum at ${size}`,
    member('size', (value) => (typeof value === 'number' ? Math.max(10, value) : value)),
  ),
  lenient('octal', 'A number may begin with 0.', `leading-zero at ${size}`, (body) => body.replace(':010', ':10')),
  lenient('plus', 'A number may begin with a plus sign.', `plus-sign at ${size}`, (body) =>
    body.replace(':+10', ':10'),
  ),
  lenient('list-commas', 'A comma may follow the last item of a list.', 'trailing-comma at $.mounts.network', (body) =>
    body.replace(',]', ']'),
  ),
  lenient(
    'empty-list',
    'An empty list of network mounts is left out.',
    'emptied at $.mounts.network',
    member('network', (value) => (Array.isArray(value) && value.length === 0 ? undefined : value)),
  ),

  wrong(
    'null-500',
    'A path that is null makes the API answer 500.',
    `status 500 to null at ${path}`,
    answers('patch', (body) => body.includes('"path":null'), 500),
  ),
  wrong(
    'surrogate-500',
    'Half a surrogate pair in a path makes the API answer 500.',
    `status 500 to lone-surrogate at ${path}`,
    answers('patch', (body) => body.includes('-b\\udc00'), 500),
  ),
  wrong(
    'type-400',
    'A path of a wrong type is answered 400.',
    `status 400 to as-number at ${path}`,
    restates('patch', (body) => body.includes('"path":7'), 400),
  ),
  wrong(
    'partial-400',
    'A mount without a path is answered 400.',
    `status 400 to missing at ${path}`,
    restates('patch', (body) => !body.includes('"path"') && body.includes('volumeId":"vol-1"}'), 400),
  ),
  wrong(
    'extra-409',
    'A further property of a mount is answered 409.',
    'status 409 to extra at $.mounts.network[0]',
    restates('patch', (body) => body.includes('-b","plumbline":true}]'), 409),
  ),
  wrong(
    'spaced-400',
    'A PATCH with white space between its parts is answered 400.',
    'status 400 to spaced at $',
    answers('patch', (body) => body.includes('\t'), 400),
  ),

  done(
    'refused-and-moved',
    'A network mount with a further property is refused, and its path changed.',
    'mounts {"network":[{"volumeId":"vol-1","path":"/workspace-b"}]} after extra at $.mounts.network[0]',
    (body) => (body.includes('-b","plumbline":true}]') ? moved : null),
  ),
  done(
    'refused-and-enlarged',
    'A size as text is refused, and the path beside it changed.',
    'mounts {"persistent":{"size":10,"path":"/workspace-b"}} after as-text at $.mounts.persistent.size',
    (body) => body.replace('"10"', '10'),
  ),
]

const moved = '{"mounts":{"network":[{"volumeId":"vol-1","path":"/workspace-b"}]}}'

function lenient(id: string, says: string, at: string, rewrite: Rewrite): Defect {
  return wrong(id, says, `status 200 to ${at}`, readsAs('patch', rewrite))
}

function wrong(id: string, says: string, observed: string, wrap: Wrap): Defect {
  return { id: `odd-patch-${id}`, rule: 'pods.patch.fuzz', clause: 'answer', says, observed, wrap }
}

function done(id: string, says: string, observed: string, meant: Rewrite): Defect {
  const wrap = carriesOut('patch', (body) => (meant(body) === body ? null : meant(body)))
  return { id: `odd-patch-${id}`, rule: 'pods.patch.fuzz', clause: 'unchanged', says, observed, wrap }
}

/** A member of this name changed, wherever it stands. */
function member(name: string, change: (value: unknown) => unknown): Rewrite {
  return asValue((value) => deeply(value, (each, at) => (at === name ? change(each) : each)))
}

function without(name: string): Rewrite {
  return member(name, () => undefined)
}

/** The items of one list without a member of this name. */
function members(list: string, name: string): Rewrite {
  return member(list, (value) =>
    entries(value, (entry) => Object.fromEntries(Object.entries(entry).filter(([each]) => each !== name))),
  )
}

function entries(value: unknown, change: (entry: Readonly<Record<string, unknown>>) => unknown): unknown {
  return Array.isArray(value) ? value.map((entry) => (isObject(entry) ? change(entry) : entry)) : value
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
