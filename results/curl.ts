import { pluralize } from '../harness/common/pluralize.ts'
import { type HeaderPairs, headerOf, textOf } from '../harness/exchange/exchange.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import { readCommandAddress } from '../harness/tool/address.ts'
import type { Made, Reproduction, Step } from './reproduction.ts'
import type { TargetFacts } from './rerun.ts'
import { comment, curlFunction, marksIn, printfFormat, required, secretVariable, waitMs, word } from './shell.ts'
import { mentionsStatusOf, shownResponseText } from './shown.ts'

/** A scenario of a run, with the facts about the target for its shell lines. */
interface ShellReproduction extends Reproduction, TargetFacts {
  readonly plumbline: string
  readonly run: string
  readonly rule: string
  /** The command that reruns just this rule. */
  readonly rerun: string
  readonly finding: Finding | null
}

/** Headers that curl sends itself, or that are useless outside the run. */
const omittedHeaders =
  /^(accept-encoding|connection|content-length|host|traceparent|tracestate|transfer-encoding|user-agent)$/i
/** A status of a pod or job that a pattern can search for; otherwise the HTTP status decides. */
const searchable = /^[A-Za-z0-9_-]{1,40}$/
/** A job that reports to the receiver of the run; names that end in .invalid are nobody's. */
const reports = /"plumbline":\{"v":1,"beacon":|"webhook":"https?:\/\/(?![^/"]*\.invalid[:/"])/
/** Without the receiver of its run a job fails at its first report or hold: it reports nothing then, and sleeps instead. */
const beacon = /(?<="plumbline":\{"v":1,)"beacon":"[^"]*",?/
/** Steps of the first execution only: without the receiver nothing counts executions, so each one is the first. */
const isFirstOnly = /"first":\[/
const hold = /\{"hold":"[\w.-]+"\}/g
/** A request that a load-balanced worker holds until the receiver releases it. */
const isHeld = /[?&]beacon=http/
/** Polls closer together than this, in ms, are a burst and not a wait. */
const burstMs = 250

/**
 * A scenario as lines for bash that work from nothing: addresses and keys first, then a numbered comment and one line for
 * each request, and last the request that shows the finding, with status, headers and body. Ids of pods and jobs are
 * variables. All else is a comment that names the command that runs the rule again. For commands of the target file, that
 * command is the only line.
 */
export function toCurl(scenario: ShellReproduction): string[] {
  const { base, clock, rule, rerun, finding, omitted, variables } = scenario
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
  const fresh = (text: string) =>
    renewed(text).replace(/«(key\.[a-z]+)»/g, (_, name) => `«${secretVariable(name, variables)}»`)
  let renamed = fresh
  const wait = (ms: number) => (clock === null ? `sleep ${Math.ceil(ms / 1_000)}` : `wait_ms ${Math.ceil(ms)}`)

  const freshOf = (headers: HeaderPairs) => headers.map(([name, value]): [string, string] => [name, fresh(value)])

  function address(url: string): string {
    const isInside = url.startsWith(base) && /^([/?#]|$)/.test(url.slice(base.length))
    return word(renamed(isInside ? `«BASE»${url.slice(base.length)}` : url))
  }

  function request({ shown: { request }, body }: Step, flags: string): string {
    const { method, url, headers, bodyBytes } = request
    const text = body === null ? '' : (textOf(body)?.replace(beacon, '').replace(hold, '{"sleepMs":5000}') ?? null)
    const isText = text !== null && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^@/u.test(text)
    const parts = [
      bodyBytes > 0 && !isText
        ? `printf ${printfFormat(text === null ? (body ?? new Uint8Array()) : Buffer.from(text))} | curl`
        : 'curl',
      flags,
      '-A "$AGENT"',
      method === 'GET' && bodyBytes === 0 ? '' : `-X ${word(method)}`,
      /[[\]{}]/.test(url) ? '-g' : '',
      /\/\.{1,2}(\/|$)/.test(url) ? '--path-as-is' : '',
      address(url),
      ...headerArguments(freshOf(headers), bodyBytes > 0),
      bodyBytes === 0 ? '' : `--data-binary ${isText ? word(renamed(text)) : '@-'}`,
    ]
    return parts.filter((part) => part !== '').join(' ')
  }

  function lineOf(step: Step, at: number): string[] {
    const { shown, answer, made } = step
    const { polls, waitedMs, request: sent } = shown
    const tries = polls === null ? '' : `, after ${polls.count} requests, the first answered ${polls.from}`
    const title = `${at + 1}. ${shown.operation}: ${shownResponseText(answer)} in the run${tries}`
    const lines = waitedMs < 1_000 ? [comment(title)] : [wait(waitedMs), comment(title)]
    if (step.hook !== null)
      lines.unshift(comment(`the run called the hook of ${step.hook} for this pod; ${rerun} does`))
    if (isTool) return step === last ? [comment(title), ...closingComments(null)] : [comment(title)]
    if (sent.bodyBytes > 0 && step.body === null) {
      if (step === last) return [...lines, ...closingComments(made), comment('a long body, which this sends:'), rerun]
      return [...lines, comment(`a long body; ${rerun} sends it`)]
    }
    const isLook = sent.method === 'GET' && polls !== null
    if (isLook && polls.from !== polls.to) lines.push(poll(step, shown.receivedMs - polls.sinceMs, polls.count))
    else if (isLook) lines.push(wait(shown.receivedMs - polls.sinceMs))
    if (steps[at + 1]?.isOnSameConnection === true) return lines
    if (step === last) return [...lines, ...closingComments(made), afterThoseBefore(step, at)]
    if (isLook && polls.from !== polls.to) return lines
    if (made === null) return [...lines, `${request(step, '-s')}; echo`]
    const variable = `${made.kind.toUpperCase()}_${at + 1}`
    const id = `grep -o '"id"[[:space:]]*:[[:space:]]*"[^"]*"' | sed -n ${made.position}p | cut -d '"' -f 4`
    const line = `${variable}=$(${request(step, '-s')} | ${id}); echo "${variable}=$${variable}"`
    const before = renamed
    const forms = [made.id, encodeURIComponent(made.id)].map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
    const pattern = new RegExp(`(?<=["/])(?:${forms.join('|')})(?=["/?#]|$)`, 'g')
    renamed = (text) => before(text).replace(pattern, `«${variable}»`)
    if (made.removal !== null) {
      const key = sent.headers.filter(([name]) => name.toLowerCase() === 'authorization')
      const path = word(`«BASE»${made.removal.replace('{id}', `«${variable}»`)}`)
      const headers = headerArguments(freshOf(key), false)
      removals.push(['# afterwards: curl -s -X DELETE', path, ...headers].join(' '))
    }
    return [...lines, line]
  }

  /** The last request, by the process that sends the one before it if both need the same connection. */
  function afterThoseBefore(step: Step, at: number): string {
    const earlier = step.isOnSameConnection ? steps[at - 1] : undefined
    const line = request(step, '-si')
    return earlier === undefined ? line : `${request(earlier, '-s')} --next ${line.replace(/^curl /, '')}`
  }

  /** Repeats a request until it is answered as it was in the end, with pauses unless the run made none. */
  function poll(step: Step, elapsedMs: number, count: number): string {
    const { answer } = step
    const isBurst = elapsedMs / count < burstMs
    const tickMs = Math.max(1, Math.ceil(elapsedMs / 300_000)) * 1_000
    const times = isBurst ? count * 2 + 20 : Math.ceil(elapsedMs / tickMs) * 2 + 30
    const isReached = searchable.test(answer?.state ?? '')
      ? `${request(step, '-s')} | grep -q '"status"[[:space:]]*:[[:space:]]*"${answer?.state}"'`
      : `${request(step, "-s -o /dev/null -w '%{http_code}'")} | grep -q ${answer?.status ?? '000'}`
    return `for i in $(seq ${times}); do ${isReached} && break;${isBurst ? '' : ` ${wait(tickMs)};`} done`
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
    const isUsed = (name: string) => lines.some((line) => new RegExp(`\\$\\{?${name}\\b`).test(line))
    const sent = steps.flatMap(({ shown: { request }, body }) => [
      request.url,
      ...request.headers.map(([, value]) => value),
      body === null ? '' : (textOf(body) ?? ''),
    ])
    const isInAnswer =
      last?.shown.owner !== rule || (finding !== null && last.answer !== null && mentionsStatusOf(finding, last.answer))
    return [
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
              `the run had a receiver, without which these jobs report nothing and hold 5 s; ${rerun} shows the fault`,
            ),
          ]
        : []),
      exportBase(scenario),
      ...curlFunction(scenario.files),
      ...marksIn(sent)
        .filter((name) => isUsed(secretVariable(name, variables)))
        .map((name) => exportSecret(name, scenario)),
      `export AGENT=${word(`plumbline/${scenario.plumbline} (run ${scenario.run}; rule ${rule})`)}`,
      ...(isUsed('NONCE') ? ['export NONCE=$(date +%s)'] : []),
      ...(clock !== null && lines.some((line) => line.includes('wait_ms '))
        ? [`export CLOCK=${address(clock)}`, waitMs]
        : []),
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

/** The address of the target. The reference in process has none, so a served one takes its place. */
function exportBase({ embedded, base, clock, program }: TargetFacts): string {
  if (!embedded) return `export BASE=${word(base)}`
  const serve = `${program} serve --port 8080${clock === null ? '' : ' --clock control'}`
  return `export BASE=http://127.0.0.1:8080  # after this serves the reference: ${serve}`
}

/** Headers as sent; an empty one is written with a semicolon, as curl requires. */
function headerArguments(headers: HeaderPairs, hasBody: boolean): string[] {
  const sent = headers.filter(([name]) => !omittedHeaders.test(name))
  const lines = sent.map(([name, value]) => (value.trim() === '' ? `${name};` : `${name}: ${value}`))
  const untyped = hasBody && headerOf(sent, 'content-type') === null
  return [...lines, ...(untyped ? ['Content-Type:'] : [])].map((line) => `-H ${word(line)}`)
}

/** Keys that are in no target file. */
const nearKeys: Readonly<Record<string, string>> = {
  'key.altered': 'keys.full with its last characters exchanged',
  'key.shortened': 'keys.full without its last character',
  'key.recased': 'keys.full in the other case',
}

/** Takes a secret from the environment, and says which one it is if it is missing there. */
function exportSecret(name: string, { embedded, program, variables }: TargetFacts): string {
  const variable = secretVariable(name, variables)
  const where = nearKeys[name] ?? name.replace(/^key\./, 'keys.')
  const file = embedded ? `the target file that ${program} serve prints` : 'your target file'
  return `export ${variable}="${required(variable, where, file)}"`
}
