import { type PodStatus, podActions, tables } from '../../generated/tables.ts'
import { Refusal } from '../../reference/index.ts'
import type { ReferenceOptions } from '../../reference/options.ts'
import type { Defect } from '../types.ts'
import {
  answers,
  type Cell,
  does,
  doesToo,
  type Effect,
  effectOf,
  later,
  permits,
  refuses,
  refusesWith,
  rewritten,
  seen,
} from './action-tools.ts'
import { options, part } from './tools.ts'

const statuses = ['running', 'exited', 'error', 'provisioning', 'starting'] as const

/** Where the action itself would change nothing that can be seen, or lead elsewhere than its table says. */
const effects: Readonly<Record<string, readonly [Effect, string] | undefined>> = {
  'RUNNING start': [effectOf('start'), seen('RUNNING', 'STARTING')],
  'EXITED stop': [effectOf('terminate'), 'status 404: it is gone'],
  'ERROR restart': [effectOf('start'), seen('ERROR', 'STARTING')],
  'PROVISIONING start': [effectOf('start'), seen('PROVISIONING', 'STARTING')],
  'STARTING start': [effectOf('stop'), seen('STARTING', 'EXITED')],
}

/** Actions that are accepted while a pod is STARTING once more, and not when it is STARTING first. */
const startingAgain: readonly Defect[] = (['start', 'restart'] as const).map((action) => ({
  id: `starting-again-${action}-accepted`,
  rule: `pods.action.starting.${action}`,
  clause: 'refused',
  says: `${action} is accepted while a pod that has run before is STARTING.`,
  observed: 'status 200',
  change: part('permit', (next, pod, asked) =>
    asked === action && pod.status === 'STARTING' && pod.startedAtMs !== null ? null : next(),
  ),
}))

/** A stop while a pod is STARTING once more that has no effect, or does not last. */
const stopsOfStartingAgain: readonly Defect[] = (['ignored', 'reverted'] as const).map((fault) => ({
  id: `starting-again-stop-${fault}`,
  rule: 'pods.action.starting.start',
  clause: 'stopped',
  says: `stop of a pod that has run before is ${fault} while it is STARTING.`,
  observed: 'status RUNNING',
  change: part('transition', (next, pod, asked, service) => {
    const isMeant = asked === 'stop' && pod.status === 'STARTING' && pod.startedAtMs !== null
    if (!isMeant || fault === 'reverted') next()
    if (isMeant && fault === 'reverted') later(1_000, effectOf('start'))(pod, service)
  }),
}))

/** Each cell of the table: `<status>-<action>-<fault>`, such as `exited-stop-accepted`. */
const cells: readonly Defect[] = statuses.flatMap((name) =>
  podActions.flatMap((action) => {
    const status = name.toUpperCase() as Uppercase<typeof name>
    const rule = `pods.action.${name}.${action}` as const
    const cell = { status, action }
    const own = tables.actions[status].includes(action) ? permitted(cell) : notPermitted(cell)
    return own.map(({ id, ...defect }) => ({ id: `${name}-${action}-${id}`, rule, ...defect }))
  }),
)

/** The table of actions: each cell, and STARTING once more. */
export const actionTable: readonly Defect[] = [...cells, ...startingAgain, ...stopsOfStartingAgain]

type Own = Omit<Defect, 'rule'>

function permitted(cell: Cell): Own[] {
  const { status, action } = cell
  const refused = {
    id: 'refused',
    clause: 'answered',
    says: `${action} is refused while a pod is ${status}.`,
    observed: 'status 409',
    change: refuses(cell),
  }
  const other = action === 'terminate' ? 200 : 202
  const success = {
    id: `answers-${other}`,
    clause: 'answered',
    says: `${action} of a pod that is ${status} is carried out and answered ${other}.`,
    observed: `status ${other}`,
    change: answers(cell, ({ body, headers }) => new Response(body, { status: other, headers })),
  }
  if (action === 'terminate') {
    return [
      refused,
      success,
      {
        id: 'announces-body',
        clause: 'no-body',
        says: `The 204 to terminate of a pod that is ${status} announces a body of two bytes.`,
        observed: 'Content-Length 2',
        change: answers(cell, ({ headers }) => {
          const announcing = new Headers(headers)
          announcing.set('content-length', '2')
          return new Response(null, { status: 204, headers: announcing })
        }),
      },
      {
        id: 'ignored',
        clause: 'becomes-terminated',
        says: `terminate of a pod that is ${status} is answered 204, and the pod stays.`,
        observed: `status ${restOf(status)}`,
        change: does(cell, () => {}),
      },
    ]
  }
  const partial = {
    id: 'answers-part',
    clause: 'full-pod',
    says: `The response to ${action} of a pod that is ${status} lacks env and cost.`,
    observed: 'no env, cost',
    change: answers(
      cell,
      rewritten(({ env: _env, cost: _cost, ...pod }) => pod),
    ),
  }
  if (status === 'ERROR') return [refused, success, partial, refusedAgain(cell)]
  const stays = {
    id: 'ignored',
    clause: `becomes-${tables.transitions[action].to.toLowerCase()}`,
    says: `${action} of a pod that is ${status} is answered 200 and has no effect.`,
    observed: `status ${restOf(status)}`,
    change: does(cell, () => {}),
  }
  const stops = {
    ...stays,
    id: 'stops',
    says: 'restart stops the container a second later, and does not start it again.',
    observed: 'status EXITED',
    change: does(cell, later(1000, effectOf('stop'))),
  }
  const to = tables.transitions[action].to
  const reverts = {
    id: 'reverts',
    clause: `stays-${to.toLowerCase()}`,
    says: `Ten seconds after ${action} of a pod that was ${status} the pod is no longer ${to}.`,
    observed: `status ${to === 'EXITED' ? 'RUNNING' : 'EXITED'}`,
    change: doesToo(cell, later(10_000, effectOf(to === 'EXITED' ? 'start' : 'stop'))),
  }
  return [refused, success, partial, action === 'restart' ? stops : stays, reverts]
}

/** The action is refused for a pod that has once left the status by it. */
function refusedAgain(cell: Cell): Own {
  return {
    id: 'refused-again',
    clause: 'answered',
    says: `The second ${cell.action} of a pod that is ${cell.status} again is refused.`,
    observed: 'status 409',
    change: (base) => {
      const taken = new Set<string>()
      return part('permit', (next, pod, action) => {
        const isMeant = action === cell.action && pod.status === cell.status
        if (isMeant && taken.has(pod.id)) return new Refusal(409, `${action} was taken before`)
        if (isMeant) taken.add(pod.id)
        return next()
      })(base)
    },
  }
}

function notPermitted(cell: Cell): Own[] {
  const { status, action } = cell
  const [effect, observed] = effects[`${status} ${action}`] ?? [
    effectOf(action),
    seen(status, tables.transitions[action].to),
  ]
  const isTransient = status === 'PROVISIONING' || status === 'STARTING'
  const accepted = {
    id: 'accepted',
    clause: 'refused',
    says: `${action} is accepted while a pod is ${status}.`,
    observed: 'status 200',
    change: permits(cell),
  }
  const slowly = {
    id: 'accepted-slowly',
    says: `${action} is accepted while a pod is ${status}, and answers take a while.`,
    change: (base: ReferenceOptions) => options({ life: { answerDelayMs: 50 } })(permits(cell)(base)),
  }
  const carriedOut = {
    id: 'refused-with-effect',
    clause: 'unchanged',
    says: `${action} is refused while a pod is ${status}, and yet changes the pod.`,
    observed,
    change: refusesWith(cell, effect),
  }
  const carriedOutLater = {
    id: 'refused-with-late-effect',
    clause: 'unchanged',
    says: `${action} is refused while a pod is ${status}, and changes the pod a second later.`,
    observed,
    change: refusesWith(cell, later(1000, effect)),
  }
  const stopsLater = {
    id: 'refused-and-stops-later',
    clause: 'goes-on',
    says: `${action} is refused while a pod is ${status}, and the pod is stopped a second later.`,
    observed: 'status EXITED',
    change: refusesWith(cell, later(1000, effectOf('stop'))),
  }
  return [
    accepted,
    ...(isTransient && action === 'restart' ? [{ ...accepted, ...slowly }] : []),
    carriedOut,
    isTransient ? stopsLater : carriedOutLater,
  ]
}

/** Where a pod in a status is once nothing happens to it any more. */
function restOf(status: PodStatus): PodStatus {
  return status === 'PROVISIONING' || status === 'STARTING' ? 'RUNNING' : status
}
