import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { quote } from 'shell-quote'
import { pluralize } from '../../harness/common/pluralize.ts'
import { noSuchPod } from '../../harness/planes/pods/client.ts'
import { mountsOf, planeOf } from '../../harness/planes/pods/fixtures/pod-body.ts'
import { printfFormat, secretVariable, word } from '../../results/shell.ts'
import { bodyText } from '../../suites/fuzz/cases.ts'
import { type FuzzFinding, findingSaid, groupsOf, timesOf } from '../../suites/fuzz/findings.ts'
import type { MountKind, Target } from '../../target/types.ts'
import { program } from '../shared/package-paths.ts'
import type { Terminal } from '../shared/terminal.ts'
import { type FuzzRun, type OpenTarget, openReference, replayOn } from './fuzzing.ts'

const typeHeader = `-H 'Content-Type: application/json'`

/** Ways to one finding that are printed. */
const shownCases = 5

interface Reported {
  readonly open: OpenTarget
  readonly seed: number
  readonly options: { readonly target?: string; readonly json?: string }
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
    for (const line of bodyLines(finding.cases)) out(`   ${line}`)
    out(`   reference: ${await referenceAnswer(open, finding)}`)
    for (const line of curlOf(open.target, finding)) out(`   ${line}`)
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
    `${pluralize(run.cases, 'case')} in ${seconds.toFixed(1)} s (${rate} a second), seed ${seed}: ${found(groups.length)}`,
  )
  out(lateLine(run))
  if (options.json !== undefined)
    writeFileSync(resolve(cwd, options.json), `${JSON.stringify(asJson(run, seed), null, 2)}\n`)
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

/** The response of the reference to the same bodies, with the volumes and mounts of the target. */
async function referenceAnswer({ target }: OpenTarget, finding: FuzzFinding): Promise<string> {
  const reference = openReference(target)
  const { seen } = await replayOn(reference, finding, { run: 'rfuzz000000', resources() {} })
  await reference.close()
  if (seen === null) return 'not known'
  return seen.wrong === null && finding.isSeenLater ? `${seen.observed}, and the pod is as it should be` : seen.observed
}

function asJson({ cases, findings, stopped, notes, limited, refused, unsettled }: FuzzRun, seed: number) {
  return {
    format: 3,
    seed,
    cases,
    stopped: stopped?.reason ?? null,
    notes,
    limited,
    refused,
    unsettled,
    findings: findings.map((finding) => ({
      ...finding,
      cases: finding.cases.map(({ bytes, ...one }) => ({ ...one, bodyBase64: Buffer.from(bytes).toString('base64') })),
    })),
  }
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
export function curlOf(
  target: Target,
  { stage, cases, isPodless, isSeenLater }: Pick<FuzzFinding, 'stage' | 'cases' | 'isPodless' | 'isSeenLater'>,
): string[] {
  const plane = planeOf(target)
  const [operation = '', second = '', third = 'none'] = stage.split(' ')
  const isPatch = operation === 'updatePod'
  const hardware =
    second === 'cpu' || plane.gpu === null
      ? { cpu: plane.cpu === 'catalog' ? { id: 'FLAVOR_ID', vcpuCount: 2 } : plane.cpu }
      : { gpu: plane.gpu }
  const mounts = isPatch ? { mounts: mountsOf(plane, third as MountKind) } : {}
  const creation = { name: 'plumbline-fuzz', image: plane.image, ...hardware, ...mounts, ...plane.extra }
  const key = secretVariable('key.full', target.variables)
  const keyHeader = `-H "Authorization: Bearer $${key}"`
  const call = (method: string, path: string) => `-X ${method} "$BASE${path}" ${keyHeader} ${typeHeader}`
  const pod = podPath(plane.paths[isPatch ? 'updatePod' : 'triggerPodAction'])
  const pause =
    target.clock === 'real'
      ? 'sleep 1'
      : `curl -s -o /dev/null -X POST ${word(target.clock.url)} ${typeHeader} -d '{"advanceMs":1000}'`
  const get = `curl -s "$BASE${podPath(plane.paths.getPod)}" ${keyHeader}`
  const waitFor = (status: string) =>
    `for i in $(seq 120); do ${get} | grep -q '"status"[[:space:]]*:[[:space:]]*"${status}"' && break; ${pause}; done`
  const isStopped = isPatch || second === 'EXITED'
  const made = [
    `POD=$(curl -s ${call('POST', plane.paths.createPod)} -d ${word(JSON.stringify(creation))} | grep -o '"id"[^,]*' | head -1 | cut -d '"' -f 4)`,
    waitFor('RUNNING'),
    ...(isStopped
      ? [
          `curl -s ${call('POST', podPath(plane.paths.triggerPodAction))} -d '{"action":"stop"}'; echo`,
          waitFor('EXITED'),
        ]
      : []),
  ]
  const bodies = cases.map(
    ({ bytes }) => `printf ${printfFormat(bytes)} | curl -si ${call(isPatch ? 'PATCH' : 'POST', pod)} --data-binary @-`,
  )
  return [
    `export BASE=${word(plane.url)} ${key}="\${${key}:?set it to keys.full of the target file}"`,
    ...(isPodless ? [`POD=${noSuchPod}`] : made),
    ...bodies,
    ...(isSeenLater ? [`${pause}; ${pause}; ${get}; echo`] : []),
    ...(isPodless ? [] : [`# afterwards: curl -s ${call('DELETE', podPath(plane.paths.deletePod))}`]),
  ]
}

/** The command that sends the bodies of a finding again, to the given target file or the reference. */
export function againCommand(
  target: string | undefined,
  { seed, path }: { readonly seed: number; readonly path: string },
): string {
  const flag = target === undefined ? ' --reference' : ` --target ${quote([target])}`
  return `${program} fuzz${flag} --seed ${seed} --path ${path}`
}

function podPath(template: string): string {
  return template.replace('{id}', '$POD')
}
