import { quote } from 'shell-quote'
import { membersOf } from '../harness/exchange/read.ts'
import { allPlanes, planeOfRule } from '../harness/planes/index.ts'
import type { RunEvent } from '../harness/record/events.ts'
import { filesOf } from './shell.ts'

/** The facts about the recorded target that shell lines and commands need. */
export interface TargetFacts {
  readonly name: string
  /** The shell command of Plumbline in the folder of the run. */
  readonly program: string
  /** Address of the first plane that has one; empty if none has. */
  readonly base: string
  readonly clock: string | null
  /** The reference in process, which has no target file. */
  readonly embedded: boolean
  /** The environment variables of the target file's keys, by mark. */
  readonly variables: Readonly<Record<string, unknown>>
  /** The keys of the target file that name files which a private network requires, such as `network.ca`. */
  readonly files: readonly string[]
}

export function targetFacts({
  target,
  clock,
  program = 'plumbline',
}: Pick<RunEvent, 'target' | 'clock' | 'program'>): TargetFacts {
  const members = membersOf(target) ?? {}
  const url = membersOf(members.clock)?.url
  const bases = allPlanes().map(({ name }) => membersOf(members[name])?.url)
  return {
    name: typeof members.name === 'string' ? members.name : 'unnamed',
    program,
    base: bases.find((base) => typeof base === 'string') ?? '',
    clock: clock !== 'real' && typeof url === 'string' ? url : null,
    embedded: clock === 'virtual',
    variables: membersOf(members.variables) ?? {},
    files: filesOf(members.network),
  }
}

/** The part of a rule that its rerun command depends on. */
interface Rerun {
  readonly id: string
  readonly profile: string
  /** The rule whose exchange showed the finding; another one if the rule is an invariant. */
  readonly shownBy: string | null
}

/** The command that reruns one rule, with the run's seed and the scenario that showed the finding; empty if nothing can rerun it. */
export function rerunCommand(run: RunEvent, { id, profile, shownBy }: Rerun): string {
  if (run.load?.rules.includes(id)) return loadCommand(run, id)
  if (run.traffic === '') return ''
  if (run.traffic !== undefined) return `${targetFacts(run).program} ${run.traffic}`
  const { program, embedded } = targetFacts(run)
  const target = embedded ? ['--reference'] : ['--target', quote([run.targetFile ?? 'TARGET.yaml'])]
  const only = shownBy === null || shownBy === id ? [`--only ${id}`] : [`--only ${id}`, `--only ${shownBy}`]
  const vendor = run.rulesFolder === undefined ? [] : ['--rules', quote([run.rulesFolder])]
  const start = run.start === undefined ? [] : [run.start]
  const seed = run.seed === null ? [] : [`--seed ${run.seed}`]
  return [`${program} check`, ...target, ...vendor, ...only, `--profile ${profile}`, ...seed, ...start].join(' ')
}

function loadCommand(run: RunEvent, id: string): string {
  const { windowScale = 1 } = run.load ?? {}
  const scale = windowScale === 1 ? [] : ['--window-scale', String(windowScale)]
  const target = run.targetFile ?? 'TARGET.yaml'
  const words = ['load', planeOfRule(id).load ?? 'limits', '--target', target, ...scale, '--only', id]
  return `${targetFacts(run).program} ${quote(words)}`
}
