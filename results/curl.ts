import { pluralize } from '../harness/common/pluralize.ts'
import { headerOf, textOf } from '../harness/exchange/exchange.ts'
import { mayBeHeld } from '../harness/planes/index.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import { readCommandAddress } from '../harness/tool/address.ts'
import type { Made, Reproduction, Step } from './reproduction.ts'
import type { TargetFacts } from './rerun.ts'
import { comment, writing } from './shell.ts'
import { createShellRequests, fitsWord, type ShellRequest, showsStatus, untilSuccess } from './shell-requests.ts'
import { exchangeLine, mentionsStatusOf, shownResponseText } from './shown.ts'

/** A scenario of a run, with the facts about the target for its shell lines. */
interface ShellReproduction extends Reproduction, TargetFacts {
  readonly plumbline: string
  readonly run: string
  readonly rule: string
  /** The command that reruns just this rule. */
  readonly rerun: string
  readonly finding: Finding | null
}

/** A status of a pod or job that a pattern can search for; otherwise the HTTP status decides. */
const searchable = /^[A-Za-z0-9_-]{1,40}$/
/** A job that reports to the receiver of the run; names that end in .invalid are nobody's. */
const reports = /"plumbline":\{"v":1,"beacon":|"webhook":"https?:\/\/(?![^/"]*\.invalid[:/"])/
/** Without the receiver of its run a job fails at its first report or hold: it reports nothing then, and sleeps instead. */
const beacon = /(?<="plumbline":\{"v":1,)"beacon":"[^"]*",?/
/** Steps of the first execution only: without the receiver nothing counts executions, so each one is the first. */
const isFirstOnly = /"first":\[/
const holds = /\{"hold":"[\w.-]+"\}/g
/** A request that a load-balanced worker holds until the receiver releases it. */
const isHeld = /[?&]beacon=http/
/** Polls closer together than this, in ms, are a burst and not a wait. */
const burstMs = 250
/** A response that took so long, in ms, may have ended a wait that its job has to outlast. */
const longWaitMs = 10_000
/** Longer bodies, in characters as they are printed, are left out. */
const longestBody = 64 * 1024

/**
 * A scenario as lines for bash that work from nothing: addresses and keys first, then a numbered comment and one line for
 * each request, and last the request that shows the finding, with status, headers and body. Ids of pods and jobs are
 * variables. All else is a comment that names the command that runs the rule again. For commands of the target file, that
 * command is the only line.
 */
export function toCurl(scenario: ShellReproduction): string[] {
  const { rule, rerun, finding, omitted } = scenario
  const end = scenario.steps.findIndex(({ shown }) => shown.n === finding?.exchange)
  const steps = end === -1 ? scenario.steps : scenario.steps.slice(0, end + 1)
  const last = steps.at(-1)
  if (last === undefined) return []
  const removals: string[] = []
  const isTool = steps.some(({ shown }) => readCommandAddress(shown.request.url) !== null)
  const nonces = steps
    .map(({ shown }) => headerOf(shown.request.headers, 'plumbline-nonce') ?? '')
    .filter((nonce) => /^[\w-]+$/.test(nonce))
  // Workers keep their counts, so each time that the lines are run they send nonces of their own.
  const renewed = (text: string) =>
    nonces.reduce((before, nonce) => before.replace(new RegExp(`${nonce}(?![a-z0-9])`), `${nonce}-«NONCE»`), text)
  let renamed = renewed
  const shell = createShellRequests(scenario, `plumbline/${scenario.plumbline} (run ${scenario.run}; rule ${rule})`)

  const hold = secondsToHold(scenario)

  function requestOf({ shown: { operation, request }, body }: Step): ShellRequest {
    const { method, url, headers, bodyBytes } = request
    const text = body === null ? null : textOf(body)?.replace(beacon, '').replace(holds, `{"sleepMs":${hold}000}`)
    const bytes = text == null ? (body ?? new Uint8Array()) : Buffer.from(text)
    return {
      method,
      url: renamed(url),
      headers: headers.map(([name, value]) => [name, renewed(value)]),
      isHeld: mayBeHeld(operation),
      body: bodyBytes === 0 ? null : text != null && fitsWord(text) ? renamed(text) : bytes,
    }
  }

  function isTooLong(step: Step): boolean {
    const { body } = requestOf(step)
    return body instanceof Uint8Array && (step.body === null || writing(body).length > longestBody)
  }

  const tooLong = new Set(steps.filter(isTooLong))

  function lineOf(step: Step, at: number): string[] {
    const { shown, answer, made } = step
    const { polls, waitedMs, request: sent } = shown
    const times = isTool ? 'calls' : `requests, the first answered ${polls?.from}`
    const tries = polls === null ? '' : `, after ${polls.count} ${times}`
    const said = isTool ? exchangeLine(shown) : `${shown.operation}: ${shownResponseText(answer)}`
    const title = `${at + 1}. ${said} in the run${tries}`
    const lines = waitedMs < 1_000 ? [comment(title)] : [shell.wait(waitedMs), comment(title)]
    if (step.hook !== null)
      lines.unshift(comment(`the run called the hook of ${step.hook} for this pod; ${rerun} does`))
    if (isTool) return step === last ? [comment(title), ...closingComments(null)] : [comment(title)]
    if (tooLong.has(step)) {
      if (step === last) return [...lines, ...closingComments(made), comment('a long body, which this sends:'), rerun]
      return [...lines, comment(`a long body; ${rerun} sends it`)]
    }
    const isLook = sent.method === 'GET' && polls !== null
    if (isLook && polls.from !== polls.to) lines.push(poll(step, shown.receivedMs - polls.sinceMs, polls.count))
    else if (isLook) lines.push(shell.wait(shown.receivedMs - polls.sinceMs))
    if (steps[at + 1]?.isOnSameConnection === true) return lines
    if (step === last) return [...lines, ...closingComments(made), afterThoseBefore(step, at)]
    if (isLook && polls.from !== polls.to) return lines
    if (made === null) return [...lines, `${shell.curl(requestOf(step), '-s')}; echo`]
    const variable = `${made.kind.toUpperCase()}_${at + 1}`
    const line = shell.create(variable, requestOf(step), made.position)
    const before = renamed
    const forms = [made.id, encodeURIComponent(made.id)].map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
    const pattern = new RegExp(`(?<=["/])(?:${forms.join('|')})(?=["/?#]|$)`, 'g')
    renamed = (text) => before(text).replace(pattern, `«${variable}»`)
    if (made.removal !== null) {
      const url = `${scenario.base}${made.removal.replace('{id}', `«${variable}»`)}`
      const key = sent.headers.filter(([name]) => name.toLowerCase() === 'authorization')
      const removal = { method: 'DELETE', url, headers: key, body: null }
      removals.push(`# afterwards: ${shell.curl(removal, '-s')}`)
    }
    return [...lines, line]
  }

  /** The last request, by the process that sends the one before it if both need the same connection. */
  function afterThoseBefore(step: Step, at: number): string {
    const earlier = step.isOnSameConnection ? steps[at - 1] : undefined
    const line = shell.curl(requestOf(step), step.answer === null ? '-si --max-time 60' : '-si')
    if (earlier === undefined) return line
    return `${shell.curl(requestOf(earlier), '-s')} --next ${line.replace(/^(moving )?curl /, '')}`
  }

  /** Repeats a request until it is answered as it was in the end, with pauses unless the run made none. */
  function poll(step: Step, elapsedMs: number, count: number): string {
    const { answer } = step
    const isBurst = elapsedMs / count < burstMs
    const tickMs = Math.max(1, Math.ceil(elapsedMs / 300_000)) * 1_000
    const times = isBurst ? count * 2 + 20 : Math.ceil(elapsedMs / tickMs) * 2 + 30
    const request = requestOf(step)
    const isReached = searchable.test(answer?.state ?? '')
      ? showsStatus(shell.curl(request, '-s'), answer?.state ?? '')
      : `${shell.curl(request, "-s -o /dev/null -w '%{http_code}'")} | grep -q ${answer?.status ?? '000'}`
    return untilSuccess(isReached, times, isBurst ? null : shell.wait(tickMs))
  }

  function closingComments(made: Made | null): string[] {
    return [
      ...removals,
      ...(made === null || made.removal === null
        ? []
        : [`# this creates ${/^[aeiou]/.test(made.kind) ? 'an' : 'a'} ${made.kind}: remove it afterwards`]),
      ...(finding === null ? [] : [comment(`expected: ${finding.expected}`), comment(`observed: ${finding.observed}`)]),
    ]
  }

  function head(lines: readonly string[]): string[] {
    const sent = steps.flatMap(({ shown: { request }, body }) => [
      request.url,
      ...request.headers.map(([, value]) => value),
      body === null ? '' : (textOf(body) ?? ''),
    ])
    const isInAnswer =
      last?.shown.owner !== rule || (finding !== null && last.answer !== null && mentionsStatusOf(finding, last.answer))
    const unsent = steps.findIndex((step) => step !== last && tooLong.has(step))
    return [
      ...(unsent === -1
        ? []
        : [
            comment(
              `these lines may not show the fault: the body of request ${unsent + 1} is too long for them; ${rerun} sends it`,
            ),
          ]),
      ...(steps.some(({ shown }) => isHeld.test(shown.request.url)) && !isInAnswer
        ? [
            comment(
              `the run had a receiver, without which no request to /plumbline/hold is held; ${rerun} shows the fault`,
            ),
          ]
        : []),
      ...(sent.some((text) => reports.test(text) && isFirstOnly.test(text))
        ? [
            comment(
              `the run had a receiver, without which each execution of these jobs is like the first, so that a worker that died once dies each time; ${rerun} starts one and shows the fault`,
            ),
          ]
        : []),
      ...(sent.some((text) => reports.test(text) && !isFirstOnly.test(text)) && !isInAnswer
        ? [
            comment(
              `the run had a receiver, without which these jobs report nothing and hold ${hold} s; ${rerun} shows the fault`,
            ),
          ]
        : []),
      ...shell.exports(),
      ...(lines.some((line) => /\$\{?NONCE\b/.test(line)) ? ['export NONCE=$(date +%s)'] : []),
      ...(omitted > 0
        ? [comment(`left out: ${pluralize(omitted, 'request')} of the scenario; ${rerun} sends all`)]
        : []),
    ]
  }

  const lines = steps.flatMap(lineOf)
  if (isTool)
    return [comment('the run ran commands of the target file for its own projects, as this does:'), ...lines, rerun]
  return [...head(lines), ...lines]
}

/** How long jobs hold in place of a release: past the end of the longest wait. A controlled clock moves several seconds in one. */
function secondsToHold({ clock, steps }: ShellReproduction): number {
  const held = steps.filter(({ shown }) => mayBeHeld(shown.operation))
  const longestMs = Math.max(0, ...held.map(({ shown }) => shown.receivedMs - shown.sentMs))
  if (longestMs < longWaitMs) return 5
  return clock === null ? Math.ceil(longestMs / 1_000) + 5 : 20
}
