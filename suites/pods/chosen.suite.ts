import { type Exchange, isSuccess, jsonOf } from '../../harness/exchange/exchange.ts'
import { idIn, type Members, membersOf, textIn } from '../../harness/exchange/read.ts'
import { invariant } from '../../harness/rule/registry.ts'
import { isOfRun } from '../shared/changing.ts'
import { joined, judged, type Shown } from '../shared/shapes.ts'
import { isShown } from './creation.ts'
import { podsShown } from './pods-in.ts'

/** Members of a creation that a pod shows, and that only a PATCH changes. */
const lasting = ['name', 'args', 'disk', 'env', 'registry', 'mounts', 'template']

/** A pod that the run has created. */
interface Chosen {
  /** The lasting members of its creation that no PATCH has named. */
  readonly asked: Members
  /** Those of them that the pod has shown as asked; a platform may show another value from the beginning. */
  readonly shown: ReadonlySet<string>
}

invariant<ReadonlyMap<string, Chosen>>('pods.shape.id-matches', new Map(), (known, exchange, target) => {
  const { operation, subject } = exchange
  const [id, chosen] = operation === 'createPod' ? createdIn(exchange) : [subject, patchedIn(exchange, known)]
  let state = id === null || chosen === null ? known : new Map([...known, [id, chosen]])
  const seen: Shown[] = []
  for (const pod of podsShown(exchange, target)) {
    if (subject === null || typeof pod.id !== 'string') continue
    seen.push(judged('id', pod.id === subject, 'the id asked for', 'another id'))
    const own = state.get(pod.id)
    // A pod that is gone for good need not show anything else.
    if (own === undefined || pod.status === 'TERMINATED') continue
    const { asked, shown } = own
    const names = Object.keys(asked).filter((name) => name in pod)
    const asAsked = names.filter((name) => isShown(name, asked[name], { value: pod }))
    for (const name of names.filter((one) => shown.has(one)))
      seen.push(judged('kept', asAsked.includes(name), `the ${name} that was chosen`, `another ${name}`))
    if ('env' in asked && asked.template === undefined) {
      const others = Object.keys(membersOf(pod.env) ?? {}).filter((name) => isOfRun(name) && !isIn(asked.env, name))
      seen.push(judged('own', others.length === 0, 'no variable of another pod', `the variable ${others[0]}`))
    }
    if (asAsked.some((name) => !shown.has(name)))
      state = new Map([...state, [pod.id, { asked, shown: new Set([...shown, ...asAsked]) }]])
  }
  return { state, ...joined(seen) }
})

function isIn(members: unknown, name: string): boolean {
  return Object.hasOwn(membersOf(members) ?? {}, name)
}

/** The pod of a creation of the run, as it was asked for. */
function createdIn({ request, response }: Exchange): readonly [string | null, Chosen | null] {
  const body = bodyOf(request)
  // Only those of a run: a client in recorded traffic may change its pods at any time.
  if (response === null || !isSuccess(response.status) || body === null || !isOfRun(textIn(body.name)))
    return [null, null]
  const asked = Object.fromEntries(lasting.flatMap((name) => (name in body ? [[name, body[name]]] : [])))
  return [idIn(jsonOf(response.body)), { asked: { env: {}, ...asked }, shown: new Set() }]
}

/** A pod without what a PATCH has named, carried out or not; without anything if its body says nothing. */
function patchedIn({ operation, request, subject }: Exchange, known: ReadonlyMap<string, Chosen>): Chosen | null {
  const before = known.get(subject ?? '')
  if (operation !== 'updatePod' || before === undefined) return null
  const body = bodyOf(request)
  const left = Object.entries(before.asked).filter(([name]) => body !== null && !(name in body))
  return { ...before, asked: Object.fromEntries(left) }
}

function bodyOf({ body }: Exchange['request']): Members | null {
  return body === null ? null : membersOf(jsonOf(body))
}
