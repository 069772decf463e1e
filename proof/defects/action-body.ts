import { podActions } from '../../generated/tables.ts'
import { bytesOf } from '../../harness/client/body.ts'
import { type Bodies, wrongBodies } from '../../suites/pods/action-bodies.ts'
import type { Defect } from '../types.ts'
import { carriesOut, type Effect, later } from './action-tools.ts'
import { afterwards, is, onAnswer, onJson, options, type Wrap, withBody } from './tools.ts'

type Kind = keyof typeof wrongBodies
type Name<K extends Kind> = Extract<keyof ReturnType<(typeof wrongBodies)[K]>, string>

/** What a lenient reader would say of each wrong body. */
const lenient: { readonly [K in Kind]: Readonly<Record<Name<K>, string>> } = {
  'not-json': {
    truncated: 'The closing bracket of an action body may be missing.',
    'bare-word': 'The bare name of an action is taken for a body.',
    'trailing-garbage': 'What follows the JSON of an action body is not looked at.',
    'trailing-comma': 'A comma may stand before the closing bracket of an action body.',
  },
  empty: {
    'no-body': 'An action call without a body stops the pod.',
    'not-utf8': 'Bytes of an action body that are not UTF-8 are left out.',
  },
  'not-object': {
    array: 'A list of one action is taken for that action.',
    string: 'The name of an action as a JSON string is taken for a body.',
    number: 'A body that is a number stops the pod.',
    null: 'A body that is null stops the pod.',
  },
  missing: { 'no-action': 'A body without an action stops the pod.' },
  'unknown-action': {
    unknown: 'An action that begins like a known one is taken for that.',
    'another-case': 'The case of an action does not matter.',
    padded: 'Blanks around an action are left out.',
  },
  'wrong-type': {
    number: 'An action that is a number stops the pod.',
    null: 'An action that is null stops the pod.',
    array: 'A list of one action is taken for that action.',
    object: 'An object with the name of an action is taken for that action.',
  },
  extra: {
    'extra-text': 'A further property of an action body is ignored.',
    'extra-null': 'A further property of an action body is ignored where it is null.',
    'extra-first': 'A further property of an action body is ignored where it stands first.',
  },
}

const changed = 'args "refused"'
const changesArgs: Effect = (pod) => {
  pod.args = 'refused'
}

/** Action bodies: what is refused, and with what. */
export const actionBody: readonly Defect[] = [
  ...(Object.keys(lenient) as Kind[]).flatMap((kind) =>
    Object.entries(lenient[kind]).map(
      ([name, says]): Defect => ({
        id: `action-body-${kind}-${name}-accepted`,
        rule: `pods.action-body.${kind}`,
        clause: name,
        says,
        observed: 'status 200',
        wrap: accepts(kind, name),
      }),
    ),
  ),
  ...(['array', 'string', 'number', 'null'] as const).map(
    (name): Defect => ({
      id: `action-body-${name}-400`,
      rule: 'pods.action-body.not-object-422',
      clause: name,
      says: `An action body that is no object is answered 400 where it is of the kind ${name}.`,
      observed: 'status 400',
      wrap: answered400('not-object', name),
    }),
  ),
  {
    id: 'empty-action-body-refused-and-changes',
    rule: 'pods.action-body.empty',
    clause: 'unchanged',
    says: 'An action call without a body is refused, and changes the arguments of the pod.',
    observed: changed,
    change: carriesOut(isRefused, changesArgs),
  },
  {
    id: 'empty-action-body-refused-and-changes-later',
    rule: 'pods.action-body.empty',
    clause: 'unchanged',
    says: 'An action call without a body is refused, and changes the arguments of the pod a second later.',
    observed: changed,
    change: carriesOut(isRefused, later(1000, changesArgs)),
  },
  {
    id: 'action-body-list-refused-and-changes',
    rule: 'pods.action-body.not-object',
    clause: 'unchanged',
    says: 'An action body that is no object is refused, and changes the arguments of the pod.',
    observed: changed,
    wrap: afterwards(isInvalid, async ({ headers, url }, body, fetch) => {
      const [address, method] = [url.replace(/\/action$/, ''), 'PATCH']
      return 'action' in body ? null : fetch(new Request(address, { method, headers, body: '{"args":"refused"}' }))
    }),
  },
  {
    id: 'action-body-list-refused-and-changes-later',
    rule: 'pods.action-body.not-object',
    clause: 'unchanged',
    says: 'An action body that is no object is refused, and changes the arguments of the pod a second later.',
    observed: changed,
    change: carriesOut(isInvalid, later(1000, changesArgs)),
  },
  {
    id: 'action-errors-missing',
    rule: 'pods.action-body.errors-list',
    clause: 'list',
    says: 'A 422 to an action lists no errors.',
    observed: 'errors nothing',
    change: options({ style: { errorsList: 'never' } }),
  },
  {
    id: 'action-errors-objects',
    rule: 'pods.action-body.errors-list',
    clause: 'strings',
    says: 'A 422 to an action lists its errors as objects.',
    observed: 'errors of type object',
    wrap: onJson(isInvalid, ({ errors, ...problem }) => ({ ...problem, errors: [{ message: errors }] })),
  },
]

/** A wrong body of this name is taken for a right one, whatever action it is about. */
function accepts(kind: Kind, name: string): Wrap {
  return (fetch) => async (request) => {
    if (!(await carries(request, kind, name))) return fetch(request)
    const response = await fetch(withBody(request.clone(), { action: 'stop' }))
    return response.status === 409 ? fetch(withBody(request, { action: 'start' })) : response
  }
}

/** A 422 to a wrong body of this name becomes a 400. */
function answered400(kind: Kind, name: string): Wrap {
  return (fetch) => async (request) => {
    const isMeant = await carries(request, kind, name)
    const restated = onAnswer(
      (_, { status }) => isMeant && status === 422,
      ({ text }) => ({ status: 400, text: text.replace('422', '400') }),
    )
    return restated(fetch)(request)
  }
}

async function carries(request: Request, kind: Kind, name: string): Promise<boolean> {
  if (!is.action(request)) return false
  const bytes = Buffer.from(await request.clone().arrayBuffer())
  return podActions.some((action) => {
    const bodies: Bodies = wrongBodies[kind](action)
    return bytes.equals(bytesOf(bodies[name]) ?? new Uint8Array())
  })
}

function isRefused(request: Request, { status }: Response): boolean {
  return is.action(request) && status === 400
}

function isInvalid(request: Request, { status }: Response): boolean {
  return is.action(request) && status === 422
}
