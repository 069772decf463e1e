import type { Defect } from '../types.ts'
import { answers, asValue, deeply, misreadBodies, onlyMembers, type Rewrite, restates } from './tools.ts'

const { lenient, wrong, done } = misreadBodies('action', 'pods.action-body.fuzz')

/** Defects that misread the body of an action call, each as somebody reported it of some platform. */
export const misreadActions: readonly Defect[] = [
  // Texts that are nearly an action.
  ...lenient({
    'A blank after an action is left out.': ['padded at $.action', action((text) => text.replace(/ +$/, ''))],
    'A blank before an action is left out.': ['padded-before at $.action', action((text) => text.replace(/^ +/, ''))],
    'The case of an action does not matter.': ['other-case at $.action', action((text) => text.toLowerCase())],
    'An action may begin with a capital letter.': [
      'first-capital at $.action',
      action((text) => text.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())),
    ],
    'A line end after an action is left out.': ['newline at $.action', action((text) => text.replace(/\n$/, ''))],
    'An action ends at a character of code 0.': ['nul at $.action', action((text) => text.split('\0')[0] ?? '')],
    'Full-width letters are taken for the usual ones.': [
      'look-alike at $.action',
      action((text) => text.normalize('NFKC')),
    ],
    'Quotes around an action are left out.': ['quoted at $.action', action((text) => text.replaceAll('"', ''))],
    'The beginning of an action is enough.': [
      'begins at $.action',
      action((text) => (text.length === 2 && 'stop'.startsWith(text) ? 'stop' : text)),
    ],
    'What follows the hyphen in an action is left out.': [
      'unknown at $.action',
      action((text) => text.split('-')[0] ?? ''),
    ],
    'An empty action stops the pod.': ['empty-text at $.action', action((text) => text || 'stop')],
    // Members.
    'The case of names does not matter.': [
      'other-name at $.action',
      asValue((value) => renamed(value, (name) => name.toLowerCase())),
    ],
    'Unknown properties are ignored.': ['extra at $', asValue(onlyMembers('action'))],
    'Unknown properties that are null are ignored.': [
      'extra-null at $',
      asValue((value) => deeply(value, (member) => (member === null ? undefined : member))),
    ],
    'A property named like a prototype is ignored.': [
      'extra-proto at $',
      asValue((value) => renamed(value, (name) => (name === '__proto__' ? null : name))),
    ],
    'A property whose name is half a surrogate pair is ignored.': [
      'surrogate-name at $',
      asValue((value) => renamed(value, (name) => (name.isWellFormed() ? name : null))),
    ],
    // Types.
    'A list of one body is taken for that body.': [
      'as-list at $',
      asValue((value) => (Array.isArray(value) ? value[0] : value)),
    ],
    'JSON in a JSON string is read as well.': [
      'as-text at $',
      asValue((value) => (typeof value === 'string' ? JSON.parse(value) : value)),
    ],
    'Of a list of actions the first is taken.': [
      'as-list at $.action',
      asValue((value) =>
        deeply(value, (member, name) => (name === 'action' && Array.isArray(member) ? member[0] : member)),
      ),
    ],
    'true is taken for the first action that is permitted.': ['as-true at $.action', action((text) => text, true)],
    // Bytes.
    'A closing bracket may be missing.': ['truncated at $', (body) => (body.endsWith('"') ? `${body}}` : null)],
    'Only the first JSON of a body is read.': [
      'two-documents at $',
      (body) => /^(\{[^{}]*\})\{/.exec(body)?.[1] ?? null,
    ],
    'Only the first line of a body is read.': ['two-lines at $', (body) => /^(\{[^{}]*\})\n\{/.exec(body)?.[1] ?? null],
    'Words after the JSON are not looked at.': ['more-text at $', (body) => body.replace(/(?<=\}) and more$/, '')],
    'A byte 0 ends a body.': ['nul-byte at $', (body) => body.replace(/\0$/, '')],
    'Comments are left out.': ['comment at $', (body) => body.replace(/^\/\*.*?\*\//, '')],
    'Single quotes are as good as double ones.': [
      'single-quotes at $',
      (body) => (body.startsWith("{'") ? body.replaceAll("'", '"') : null),
    ],
    'A comma may follow the last member.': ['trailing-comma at $', (body) => body.replace(/,\}$/, '}')],
    'Names need no quotes.': ['bare-name at $.action', (body) => body.replace(/^\{action:/, '{"action":')],
    'Texts need no quotes.': ['bare-word at $.action', (body) => body.replace(/:(\w+)\}$/, ':"$1"}')],
    'A line end within a text is left out.': ['raw-newline at $.action', (body) => body.replace(/\n"/, '"')],
    'Bytes that are not UTF-8 are left out.': ['not-utf8 at $.action', (body) => body.replaceAll('\xff', '')],
    'Halves of surrogate pairs are left out.': ['lone-surrogate at $.action', (body) => body.replace('\\udc00', '')],
    'A body of white space stops the pod.': ['blank at $', (body) => (body === ' \n' ? '{"action":"stop"}' : null)],
  }),
  // Other statuses.
  ...wrong({
    'Half a surrogate pair makes the API answer 500.': [
      'status 500 to lone-surrogate at $.action',
      answers('action', (body) => body.includes('\\udc00'), 500),
    ],
    'A deeply nested body makes the API answer 500.': [
      'status 500 to nested at $',
      answers('action', (body) => body.startsWith('[['), 500),
    ],
    'An action that is null makes the API answer 500.': [
      'status 500 to null at $.action',
      answers('action', (body) => body === '{"action":null}', 500),
    ],
    'A property that stands twice makes the API answer 500.': [
      'status 500 to twice at $.action',
      answers('action', (body) => /^\{"action":[^{}]*"action":[^{}]*\}$/.test(body), 500),
    ],
    'An action that is null is answered 400.': [
      'status 400 to null at $.action',
      restates('action', (body) => body === '{"action":null}', 400),
    ],
    'A missing action is answered 400.': [
      'status 400 to missing at $.action',
      restates('action', (body) => body === '{}', 400),
    ],
    'An unknown action is answered 409.': [
      'status 409 to unknown at $.action',
      restates('action', (body) => body.includes('-now'), 409),
    ],
    'A body that is cut off is answered 422.': [
      'status 422 to truncated at $',
      restates('action', (body) => body.endsWith('stop"'), 422),
    ],
    'A body with white space between its parts is answered 422.': [
      'status 422 to spaced at $',
      answers('action', (body) => body.includes('\t'), 422),
    ],
    'An action that is written with an escape is answered 422.': [
      'status 422 to escaped at $.action',
      answers('action', (body) => body.includes('"\\u0073top"'), 422),
    ],
  }),
  // Refused, and done.
  ...done({
    'A body with a further property is refused, and the pod stopped.': [
      'actions ["start","terminate"], status "EXITED" after extra at $',
      (body) => (body.endsWith('"plumbline":true}') ? '{"action":"stop"}' : null),
    ],
    'A body that is cut off is refused, and the pod stopped.': [
      'actions ["start","terminate"], status "EXITED" after truncated at $',
      (body) => (body.endsWith('stop"') ? '{"action":"stop"}' : null),
    ],
  }),
]

/** The text of the action changed. */
function action(change: (text: string) => string, truth = false): Rewrite {
  return asValue((value) =>
    deeply(value, (member, name) => {
      if (name !== 'action') return member
      if (truth && member === true) return 'stop'
      return typeof member === 'string' ? change(member) : member
    }),
  )
}

/** Members of the outermost object renamed; null leaves one out. */
function renamed(value: unknown, change: (name: string) => string | null): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const other = change(name)
      return other === null ? [] : [[other, member]]
    }),
  )
}
