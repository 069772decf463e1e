import { type Exchange, jsonOf, type Operation } from '../harness/exchange/exchange.ts'
import { idIn, listsIn } from '../harness/exchange/read.ts'
import type { HookEvent } from '../harness/record/events.ts'
import { type Collector, folded, folds, type Step, scenarioExchanges, toStep } from './scenario.ts'

/** The steps that bring a pod to the state in a list, and the read that shows it. */
const making: ReadonlySet<Operation> = new Set(['createPod', 'triggerPodAction', 'updatePod', 'getPod'])

/** A finding about a list: the exchange that shows it, and the ids of the pods in it. */
export interface WantedList {
  readonly rule: string
  readonly evidence: number
  readonly pods: ReadonlySet<string>
}

/** The ids in the list of a response, wherever the list is. */
export function listedIn({ operation, response }: Exchange): readonly string[] {
  if (operation !== 'listPods' || response === null) return []
  return listsIn(jsonOf(response.body))
    .flat()
    .flatMap((entry) => idIn(entry) ?? [])
}

/**
 * Gathers the exchanges that made the pods of a list, pod by pod, by any owner, and the list last. Pods that do not
 * fit completely are left out, and so are pods that the run did not make.
 */
export function createListCollector({ evidence, pods }: WantedList): Collector {
  const histories = new Map<string, Step[]>()
  const hooks = new Map<string, HookEvent>()
  let list: Step | null = null

  return {
    wants({ n, operation }, pod) {
      return n === evidence || (n < evidence && pod !== null && pods.has(pod) && making.has(operation as Operation))
    },
    exchange(exchange) {
      const step = toStep(exchange, 0, hooks)
      if (exchange.n === evidence) {
        list = step
        return
      }
      const pod = step.made?.id ?? exchange.subject ?? ''
      const history = histories.get(pod) ?? []
      if (history.length === 0 && step.made === null) return
      histories.set(pod, history)
      if (step.answer === null || step.answer.status >= 300) return
      const last = history.at(-1)
      if (last !== undefined && folds(last, step)) history[history.length - 1] = folded(last, step)
      else history.push(step)
    },
    waited() {},
    hooked(hook) {
      if (pods.has(hook.pod)) hooks.set(hook.pod, hook)
    },
    steps() {
      if (list === null) return { steps: [], omitted: 0 }
      const steps: Step[] = []
      let omitted = 0
      for (const history of histories.values()) {
        const told = history.filter((step, at) => tells(step, history[at - 1]))
        if (steps.length + told.length < scenarioExchanges) steps.push(...told)
        else omitted += told.length
      }
      return { steps: [...steps, list], omitted }
    },
  }
}

function tells(step: Step, before: Step | undefined): boolean {
  return step.hook !== null || step.shown.request.method !== 'GET' || moved(step, before)
}

/** True if a read of a pod shows another state than before. */
function moved({ shown, answer }: Step, before: Step | undefined): boolean {
  return shown.polls === null ? answer?.pod !== before?.answer?.pod : shown.polls.from !== shown.polls.to
}
