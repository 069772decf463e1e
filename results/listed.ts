import { type Exchange, jsonOf, type Operation } from '../harness/exchange/exchange.ts'
import { idIn, listsIn } from '../harness/exchange/read.ts'
import type { HookEvent } from '../harness/record/events.ts'
import { type Collector, folded, folds, type Step, scenarioExchanges, toStep } from './scenario.ts'

/** What brings a pod to where a list shows it, and how one sees that it is there. */
const making: ReadonlySet<Operation> = new Set(['createPod', 'triggerPodAction', 'updatePod', 'getPod'])

/** A finding about a list: the exchange that shows it, and the ids of the pods in it. */
export interface WantedList {
  readonly rule: string
  readonly evidence: number
  readonly pods: ReadonlySet<string>
}

/** The ids in the list of an answer, wherever the list is. */
export function listedIn({ operation, response }: Exchange): readonly string[] {
  if (operation !== 'listPods' || response === null) return []
  return listsIn(jsonOf(response.body))
    .flat()
    .flatMap((entry) => idIn(entry) ?? [])
}

/**
 * Gathers what made the pods of a list, whoever did so, one pod after the other, and the list last. Pods that would not
 * find room whole are left out, as are those that the run did not make.
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

/** Whether a look at a pod found it elsewhere than before. */
function moved({ shown, answer }: Step, before: Step | undefined): boolean {
  return shown.polls === null ? answer?.pod !== before?.answer?.pod : shown.polls.from !== shown.polls.to
}
