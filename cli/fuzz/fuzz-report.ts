import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { quote } from 'shell-quote'
import { pluralize } from '../../harness/common/pluralize.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import { noSuchPod } from '../../harness/planes/pods/client.ts'
import { redactorOf } from '../../harness/record/describe.ts'
import type { Redactor } from '../../harness/record/redact.ts'
import { bodyText } from '../../suites/fuzz/cases.ts'
import { type FuzzFinding, findingSaid, groupsOf, timesOf } from '../../suites/fuzz/findings.ts'
import { encoded } from '../../suites/fuzz/mutators/types.ts'
import type { WalkCall, Walked } from '../../suites/walk/walk.ts'
import { walkEnv } from '../../suites/walk/walker.ts'
import type { MountKind, Target } from '../../target/types.ts'
import { program } from '../shared/package-paths.ts'
import type { Terminal } from '../shared/terminal.ts'
import { type FuzzRun, replayOn, walkOn } from './fuzzing.ts'
import { jobLines } from './job-lines.ts'
import { type OpenTarget, openReference } from './open-target.ts'
import { type PodCall, podLines } from './pod-lines.ts'

/** Ways to one finding that are printed. */
const shownCases = 5

interface Reported {
  readonly open: OpenTarget
  readonly seed: number
  readonly options: { readonly target?: string; readonly json?: string; readonly walk?: string | boolean }
  readonly terminal: Terminal
  readonly seconds: number
}

/** Prints the findings of a run, and writes them to a file if requested. */
export async function report(run: FuzzRun, { open, seed, options, terminal, seconds }: Reported): Promise<void> {
  const { out, err, cwd } = terminal
  const groups = groupsOf(run.findings)
  for (const [at, group] of groups.entries()) {
    const [finding] = group
    if (finding === undefined) continue
    const { operation, expected, observed } = finding
    out(`${at + 1}. ${operation}: ${observed}, ${times(timesOf(group))}`)
    out(`   expected: ${expected}`)
    out('   where:')
    for (const each of group.slice(0, shownCases)) out(`   - ${findingSaid(each)}, ${times(each.count)}`)
    if (group.length > shownCases) out(`   - and ${group.length - shownCases} more; --json has all`)
    const reference = await referenceAnswer(open, finding)
    for (const line of stepLines(finding, reference.calls)) out(`   ${line}`)
    out(`   reference: ${reference.said}`)
    for (const line of await linesOf(open.target, finding)) out(`   ${line}`)
    out(`   again:    ${againCommand(options.target, finding)}`)
  }
  if (run.limited > 0)
    err(
      `plumbline: a quota of the target slowed this run down: ${run.limited} of its bodies were answered 429 and sent again later`,
    )
  for (const note of run.notes) err(`plumbline: ${note}`)
  if (run.stopped !== null) err(`plumbline: ended early: ${run.stopped.reason}`)
  const rate = Math.round(run.cases / Math.max(seconds, 0.001))
  out(
    `${pluralize(run.cases, options.walk === undefined ? 'case' : 'walk')} in ${seconds.toFixed(1)} s (${rate} a second), seed ${seed}: ${found(groups.length)}`,
  )
  if (options.walk === undefined) out(lateLine(run))
  if (options.json !== undefined)
    writeFileSync(
      resolve(cwd, options.json),
      `${JSON.stringify(asJson(run, seed, redactorOf(open.target)), null, 2)}\n`,
    )
}

function lateLine({ refused, unsettled }: FuzzRun): string {
  if (refused === 0) return 'late effects were not looked for, because no pod refused a body'
  const [all, looked] = [refused, refused - unsettled].map((count) => count.toLocaleString('en'))
  return `late effects were looked for after ${looked} of ${all} bodies that pods refused`
}

/** The first bodies of a finding, one line each. */
export function bodyLines(cases: FuzzFinding['cases']): string[] {
  const lines = cases.slice(0, shownCases).map(({ bytes }) => `body:     ${bodyText(bytes)}`)
  return cases.length > shownCases ? [...lines, `          and ${cases.length - shownCases} more bodies`] : lines
}

/** The steps of a walk with their responses, or the first bodies of another finding. */
function stepLines({ cases, walk }: FuzzFinding, reference: readonly WalkCall[]): string[] {
  if (walk === undefined) return bodyLines(cases)
  return walk.calls.map((call, at) => walkStepLine(call, reference[at]))
}

/** A step of a walk, with its response and the statuses of pods or jobs afterwards, and those of the reference if they differ. */
export function walkStepLine(call: WalkCall, reference?: WalkCall): string {
  const own = responseOf(call)
  const other = reference === undefined ? '' : responseOf(reference)
  const all = [own, other === '' || other === own ? '' : `reference: ${other}`].filter((text) => text !== '')
  return `step:     ${call.said}${all.length === 0 ? '' : ` (${all.join('; ')})`}`
}

function responseOf({ rest, seen = {}, status }: WalkCall): string {
  return [
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(rest === undefined ? [] : [`${rest} is expected`]),
    ...Object.entries(seen).map(([letter, shown]) => `${letter} ${shown}`),
  ].join(', ')
}

async function linesOf(target: Target, finding: FuzzFinding): Promise<string[]> {
  return finding.walk === undefined ? curlOf(target, finding) : walkLines(target, finding.walk)
}

/** Shell lines that take a walk again. */
export async function walkLines(target: Target, { calls, plane }: Pick<Walked, 'calls' | 'plane'>): Promise<string[]> {
  if (plane === 'queue') return jobLines(target, calls)
  const env = { ...membersOf(target.pods?.extra.env), ...walkEnv }
  return podLines(target, [...calls, { operation: 'listPods' }], { env })
}

/** The calls of a walk and the responses of the reference to them. */
interface ReferenceAnswer {
  readonly said: string
  readonly calls: readonly WalkCall[]
}

/** The response of the reference to the same bodies or steps, with the volumes and mounts of the target. */
async function referenceAnswer({ target }: OpenTarget, finding: FuzzFinding): Promise<ReferenceAnswer> {
  const reference = await openReference(target)
  if (finding.walk !== undefined) {
    const { seen } = await walkOn(reference, finding.walk)
    await reference.close()
    const clean = `every ${finding.walk.plane === 'pods' ? 'pod' : 'job'} is as expected`
    return { said: seen?.observed ?? (seen?.failure == null ? clean : 'not known'), calls: seen?.calls ?? [] }
  }
  const { seen } = await replayOn(reference, finding)
  await reference.close()
  const isClean = seen?.wrong === null && finding.isSeenLater
  const said = seen === null ? 'not known' : `${seen.observed}${isClean ? ', and the pod is as it should be' : ''}`
  return { said, calls: [] }
}

function asJson(
  { cases, findings, stopped, notes, limited, refused, unsettled }: FuzzRun,
  seed: number,
  redactor: Pick<Redactor, 'bytes'>,
) {
  return {
    format: 3,
    seed,
    cases,
    stopped: stopped?.reason ?? null,
    notes,
    limited,
    refused,
    unsettled,
    findings: findings.map(({ walk, ...finding }) => ({
      ...finding,
      cases: finding.cases.map((one) => asText(one, redactor)),
      ...(walk === undefined
        ? {}
        : { plane: walk.plane, steps: walk.calls.map(({ step: _, ...call }) => asText(call, redactor)) }),
    })),
  }
}

/** The body as base64, for JSON. */
function asText({ bytes, ...rest }: { readonly bytes?: Uint8Array }, redactor: Pick<Redactor, 'bytes'>) {
  return bytes === undefined ? rest : { ...rest, bodyBase64: Buffer.from(redactor.bytes(bytes)).toString('base64') }
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

/** The state of a run under way. `isSearching`: bodies are sent to find the cause of a wrong response. */
export function progressLine(cases: number, seconds: number, findings: FuzzFinding[], isSearching: boolean): string {
  const rate = Math.round(cases / Math.max(seconds, 0.001))
  const search = isSearching ? '; searching the cause of a possible finding' : ''
  return `${pluralize(cases, 'case')}, ${rate} a second, ${found(groupsOf(findings).length)}${search}`
}

function found(findings: number): string {
  return findings === 0 ? 'no findings' : pluralize(findings, 'finding')
}

/** Shell lines that make a pod for the stage of a finding, send it the bodies, and show it afterwards. */
export async function curlOf(
  target: Target,
  { stage, cases, isPodless }: Pick<FuzzFinding, 'stage' | 'cases' | 'isPodless'>,
): Promise<string[]> {
  const [operation, second = '', third = 'none'] = stage.split(' ')
  const pod = 'POD'
  const isPatch = operation === 'updatePod'
  const sent: PodCall[] = cases.map(({ bytes }) => ({
    operation: isPatch ? 'updatePod' : 'triggerPodAction',
    pod,
    bytes,
  }))
  if (isPodless) return [`${pod}=${noSuchPod}`, ...(await podLines(target, sent))]
  const mount = isPatch ? (third as MountKind) : 'none'
  const shape = second === 'cpu' ? ({ kind: 'cpu', mount } as const) : { mount }
  const stop: PodCall = { operation: 'triggerPodAction', pod, bytes: encoded('{"action":"stop"}'), rest: 'EXITED' }
  return podLines(target, [
    { operation: 'createPod', pod, shape, rest: 'RUNNING' },
    ...(isPatch || second === 'EXITED' ? [stop] : []),
    ...sent,
    { operation: 'wait', seconds: 2 },
  ])
}

/** The command that sends the bodies of a finding again, to the given target file or the reference. */
export function againCommand(
  target: string | undefined,
  {
    seed,
    path,
    walk,
  }: { readonly seed: number; readonly path: string; readonly walk?: Pick<Walked, 'plane'> | undefined },
): string {
  const walks = walk === undefined ? '' : ` --walk ${walk.plane}`
  const flag = target === undefined ? ' --reference' : ` --target ${quote([target])}`
  return `${program} fuzz${walks}${flag} --seed ${seed} --path ${path}`
}
