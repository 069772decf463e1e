import { isMapping } from '../../harness/common/merge-patch.ts'
import type { Defect } from '../types.ts'
import { answers, asValue, deeply, misreadBodies, type Rewrite, restates } from './tools.ts'

const size = '$.mounts.persistent.size'
const path = '$.mounts.network[0].path'
const volumeId = '$.mounts.network[0].volumeId'

const { lenient, wrong, done } = misreadBodies('patch', 'pods.patch.fuzz')

/** Defects that misread the mounts of a PATCH. */
export const misreadPatches: readonly Defect[] = [
  ...lenient({
    'Unknown properties of a PATCH are ignored.': ['extra at $.mounts', without('plumbline')],
    'Unknown properties of a network mount are ignored.': [
      'extra at $.mounts.network[0]',
      members('network', 'plumbline'),
    ],
    'The case of the names of a PATCH does not matter.': [
      'other-name at $.mounts.network',
      (body) => body.replace('"Network"', '"network"'),
    ],
    'A path that is a number is taken for text.': [
      `as-number at ${path}`,
      member('path', (value) => (typeof value === 'number' ? String(value) : value)),
    ],
    'Of a list of paths the first is taken.': [
      `as-list at ${path}`,
      member('path', (value) => (Array.isArray(value) ? value[0] : value)),
    ],
    'A path that is null is taken for the root.': [`null at ${path}`, member('path', (value) => value ?? '/')],
    'A network mount need not stand in a list.': [
      'as-object at $.mounts.network',
      member('network', (value) => (isMapping(value) ? value.value : value)),
    ],
    'JSON in a JSON string is taken for mounts.': [
      'as-text at $.mounts',
      member('mounts', (value) => (typeof value === 'string' ? JSON.parse(value) : value)),
    ],
    'Of two network mounts the first is taken.': [
      'one-more at $.mounts.network',
      member('network', (value) => (Array.isArray(value) ? value.slice(0, 1) : value)),
    ],
    'A volume whose id has a control character is taken for the first one.': [
      `control at ${volumeId}`,
      member('volumeId', (value) => (typeof value === 'string' && /\p{Cc}/u.test(value) ? 'vol-1' : value)),
    ],
    'The volume of a network mount may be left out.': [
      `missing at ${volumeId}`,
      member('network', (value) => entries(value, (entry) => ({ volumeId: 'vol-1', ...entry }))),
    ],
    'A size with a fraction is cut to a whole number.': [
      `fraction at ${size}`,
      member('size', (value) => (typeof value === 'number' ? Math.trunc(value) : value)),
    ],
    'A size may be text.': [
      `as-text at ${size}`,
      member('size', (value) => (typeof value === 'string' ? Number(value) : value)),
    ],
    'A size may be true.': [`as-true at ${size}`, member('size', (value) => (value === true ? 10 : value))],
    'A size below the least is brought to it.': [
      `below-minimum at ${size}`,
      member('size', (value) => (typeof value === 'number' ? Math.max(10, value) : value)),
    ],
    'A number may begin with 0.': [`leading-zero at ${size}`, (body) => body.replace(':010', ':10')],
    'A number may begin with a plus sign.': [`plus-sign at ${size}`, (body) => body.replace(':+10', ':10')],
    'A comma may follow the last item of a list.': [
      'trailing-comma at $.mounts.network',
      (body) => body.replace(',]', ']'),
    ],
    'An empty list of network mounts is left out.': [
      'emptied at $.mounts.network',
      member('network', (value) => (Array.isArray(value) && value.length === 0 ? undefined : value)),
    ],
  }),
  ...wrong({
    'A path that is null makes the API answer 500.': [
      `status 500 to null at ${path}`,
      answers('patch', (body) => body.includes('"path":null'), 500),
    ],
    'Half a surrogate pair in a path makes the API answer 500.': [
      `status 500 to lone-surrogate at ${path}`,
      answers('patch', (body) => body.includes('-b\\udc00'), 500),
    ],
    'A path of a wrong type is answered 400.': [
      `status 400 to as-number at ${path}`,
      restates('patch', (body) => body.includes('"path":7'), 400),
    ],
    'A mount without a path is answered 400.': [
      `status 400 to missing at ${path}`,
      restates('patch', (body) => !body.includes('"path"') && body.includes('volumeId":"vol-1"}'), 400),
    ],
    'A further property of a mount is answered 409.': [
      'status 409 to extra at $.mounts.network[0]',
      restates('patch', (body) => body.includes('-b","plumbline":true}]'), 409),
    ],
    'A PATCH with white space between its parts is answered 400.': [
      'status 400 to spaced at $',
      answers('patch', (body) => body.includes('\t'), 400),
    ],
  }),
  ...done({
    'A network mount with a further property is refused, and its path changed.': [
      'mounts {"network":[{"volumeId":"vol-1","path":"/workspace-b"}]} after extra at $.mounts.network[0]',
      (body) => (body.includes('-b","plumbline":true}]') ? moved : null),
    ],
    'A size as text is refused, and the path beside it changed.': [
      'mounts {"persistent":{"size":10,"path":"/workspace-b"}} after as-text at $.mounts.persistent.size',
      (body) => body.replace('"10"', '10'),
    ],
  }),
]

const moved = '{"mounts":{"network":[{"volumeId":"vol-1","path":"/workspace-b"}]}}'

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
  return Array.isArray(value) ? value.map((entry) => (isMapping(entry) ? change(entry) : entry)) : value
}
