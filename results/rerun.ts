import { quote } from 'shell-quote'
import { membersOf } from '../harness/exchange/read.ts'
import { allPlanes, planeOfRule } from '../harness/planes/index.ts'
import type { RunEvent } from '../harness/record/events.ts'
import { heavyRules } from '../harness/tool/heavy.ts'

/** The facts about the recorded target that shell lines and commands need. */
export interface TargetFacts {
  readonly name: string
  /** Address of the first plane that has one; empty if none has. */
  readonly base: string
  readonly clock: string | null
  /** The reference in process, which has no target file. */
  readonly embedded: boolean
}

export function targetFacts({ target, clock }: RunEvent): TargetFacts {
  const members = membersOf(target) ?? {}
  const url = membersOf(members.clock)?.url
  const bases = allPlanes().map(({ name }) => membersOf(members[name])?.url)
  return {
    name: typeof members.name === 'string' ? members.name : 'unnamed',
    base: bases.find((base) => typeof base === 'string') ?? '',
    clock: clock !== 'real' && typeof url === 'string' ? url : null,
    embedded: clock === 'virtual',
  }
}

/** The part of a rule that its rerun command depends on. */
export interface Rerun {
  readonly id: string
  readonly profile: string
  /** The rule whose exchange showed the finding; another one if the rule is an invariant. */
  readonly shownBy: string | null
}

/** The shell command of the program, in the folder of its clone or of the project that it is installed in. */
export const program = 'npx plumbline'

/** The command that reruns one rule, with the run's seed and the scenario that showed the finding. */
export function rerunCommand(run: RunEvent, { id, profile, shownBy }: Rerun): string {
  if (run.load?.rules.includes(id)) return loadCommand(run, id)
  const target = targetFacts(run).embedded ? ['--reference'] : ['--target', quote([run.targetFile ?? 'TARGET.yaml'])]
  const only = shownBy === null || shownBy === id ? [`--only ${id}`] : [`--only ${id}`, `--only ${shownBy}`]
  const seed = run.seed === null ? [] : [`--seed ${run.seed}`]
  const heavy = heavyRules.has(id) && !targetFacts(run).embedded ? ['--heavy'] : []
  return [`${program} check`, ...target, ...only, `--profile ${profile}`, ...seed, ...heavy].join(' ')
}

function loadCommand({ targetFile, load }: RunEvent, id: string): string {
  const { windowScale = 1 } = load ?? {}
  const scale = windowScale === 1 ? [] : ['--window-scale', String(windowScale)]
  return quote([
    ...program.split(' '),
    'load',
    planeOfRule(id).load ?? 'limits',
    '--target',
    targetFile ?? 'TARGET.yaml',
    ...scale,
    '--only',
    id,
  ])
}
