import { counted } from '../harness/common/counted.ts'
import { type HeaderPairs, headerOf, textOf } from '../harness/exchange/exchange.ts'
import type { Finding } from '../harness/rule/outcome.ts'
import { hookLines, quotedId } from './hook-lines.ts'
import { program, type TargetFacts } from './rerun.ts'
import type { Step } from './scenario.ts'
import { comment, type Piece, printfFormat, replaceIn, variableOf, withSecrets, word } from './shell.ts'
import { answerText, tellsStatusOf } from './shown.ts'
import type { ShownExchange } from './types.ts'

/** A scenario of a run, with the facts about the target for its shell lines. */
export interface CurlScenario {
  readonly plumbline: string
  readonly run: string
  readonly rule: string
  /** The command that reruns just this rule. */
  readonly rerun: string
  /** Address of the pod API in the run. */
  readonly base: string
  /** True if the target was the reference in process, which has no address. */
  readonly embedded: boolean
  /** The control address of the target's clock, null if it cannot be controlled. */
  readonly clock: string | null
  /** Path template of the removal of a pod, as `/v2/pods/{id}`. */
  readonly deletePath: string
  readonly hooks: TargetFacts['hooks']
  readonly steps: readonly Step[]
  readonly omitted: number
  readonly finding: Finding | null
}

/** Headers that curl sends itself, or that are useless outside the run. */
const leftOut: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'host',
  'traceparent',
  'tracestate',
  'transfer-encoding',
  'user-agent',
])

/** A pod status that a pattern can search for; otherwise the HTTP status decides. */
const podStatus = /^[A-Za-z0-9_-]{1,40}$/

/** A job that reports to the receiver of the run. */
const beaconOf = /"plumbline":\{"v":1,"beacon":/
/** A job that notifies the receiver of the run; names that end in .invalid belong to nobody. */
const notifies = /"webhook":"https?:\/\/(?![^/"]*\.invalid[:/"])/

/** Polls closer together than this, in ms, are a burst and not a wait. */
const burstMs = 250

/**
 * Lines for bash that reproduce a scenario from nothing: addresses and keys first, then one numbered step per request,
 * and last the request that shows the finding, with status, headers and body. Pod ids are captured from the responses.
 */
export function toCurl(scenario: CurlScenario): string[] {
  const steps = upToFinding(scenario)
  if (steps.length === 0) return []
  const script = createScript(scenario, steps)
  const lines = steps.flatMap((step, at) => script.step(step, at + 1))
  return [...script.head(lines), ...lines]
}

function upToFinding({ steps, finding }: CurlScenario): readonly Step[] {
  const at = finding === null ? -1 : steps.findIndex(({ shown }) => shown.n === finding.exchange)
  return at === -1 ? steps : steps.slice(0, at + 1)
}

function createScript(scenario: CurlScenario, steps: readonly Step[]) {
  const { base, clock, finding } = scenario
  const pods = new Map<string, string>()
  let number = 0

  function address(url: string): string {
    const inside = url === base || (url.startsWith(base) && /^[/?#]/.test(url.slice(base.length)))
    const rest = withSecrets(inside ? url.slice(base.length) : url)
    const pieces = withPods(rest, (id) => `(?<=/)${id}(?=[/?#]|$)`)
    return word(inside ? [{ variable: 'BASE' }, ...pieces] : pieces)
  }

  function withPods(pieces: Piece[], around: (id: string) => string): Piece[] {
    let done = pieces
    for (const [id, variable] of pods) {
      done = replaceIn(done, new RegExp(around(escaped(id)), 'g'), () => ({ variable }))
    }
    return done
  }

  function request({ shown, body }: Step, ...flags: readonly string[]): string {
    const { method, url, headers } = shown.request
    const sent = bodyOf(shown, body, (text) => word(withPods(withSecrets(text), quotedId)))
    const parts = [
      'curl',
      ...flags,
      '-A "$AGENT"',
      ...(method === 'GET' && sent.arguments.length === 0 ? [] : [`-X ${word([method])}`]),
      ...(/[[\]{}]/.test(url) ? ['-g'] : []),
      ...(/\/\.{1,2}(\/|$)/.test(url) ? ['--path-as-is'] : []),
      address(url),
      ...headerArguments(headers, sent.arguments.length > 0),
      ...sent.arguments,
    ]
    return `${sent.before}${parts.join(' ')}`
  }

  function step(one: Step, position: number): string[] {
    const { shown, answer, made } = one
    const { polls } = shown
    const last = position === steps.length
    const called = hookLines(one.hook, scenario, { number: number + 1, withPods })
    if (called.length > 0) number++
    const lines = [...called, ...wait(shown.waitedMs)]
    const title = `${++number}. ${shown.operation}: ${answerText(answer)} in the run`
    lines.push(
      comment(polls === null ? title : `${title}, after ${polls.count} requests, the first answered ${polls.from}`),
    )
    const large = shown.request.bodyBytes > 0 && one.body === null
    if (large) lines.push(comment(`save the body of exchange ${shown.n} of the record as body-${shown.n}.bin first`))
    if (one.body !== null && beaconOf.test(textOf(one.body) ?? '')) {
      lines.push(comment('the beacon ended with the run; without one, holds of this job fail'))
    }
    if (polls !== null && shown.request.method === 'GET') lines.push(...poll(one, polls))
    if (last) {
      const makes = made?.kind === 'pod' ? [comment('this creates a pod: remove it afterwards')] : []
      return [...lines, ...cleanUp(), ...makes, ...told(finding), request(one, '-si')]
    }
    if (polls !== null && shown.request.method === 'GET' && polls.from !== polls.to) return lines
    // Every pod is remembered for its removal, even if no later step uses it.
    if (made !== null && (made.kind === 'pod' || usedLater(made.id, position))) {
      const variable = `${made.kind.toUpperCase()}_${pods.size + 1}`
      const id = `grep -o '"id"[[:space:]]*:[[:space:]]*"[^"]*"' | sed -n ${made.position}p | cut -d '"' -f 4`
      lines.push(`${variable}=$(${request(one, '-s')} | ${id}); echo "${variable}=$${variable}"`)
      pods.set(made.id, variable)
      return lines
    }
    return [...lines, `${request(one, '-s')}; echo`]
  }

  function poll(one: Step, polls: NonNullable<ShownExchange['polls']>): string[] {
    const elapsed = Math.max(0, one.shown.receivedMs - polls.sinceMs)
    if (polls.from === polls.to) return wait(elapsed)
    const burst = elapsed / polls.count < burstMs && clock === null
    const tickMs = Math.max(1, Math.ceil(elapsed / 300_000)) * 1_000
    const times = burst ? polls.count * 2 + 20 : Math.ceil(elapsed / tickMs) * 2 + 30
    const pause = clock !== null ? ` ${advance(String(tickMs))};` : burst ? '' : ` sleep ${tickMs / 1_000};`
    return [`for i in $(seq ${times}); do ${reached(one)} && break;${pause} done`]
  }

  function reached(one: Step): string {
    const pod = one.answer?.pod ?? ''
    if (!podStatus.test(pod)) {
      return `[ "$(${request(one, '-s', '-o /dev/null', "-w '%{http_code}'")})" = ${one.answer?.status ?? '000'} ]`
    }
    const pattern = `"status"[[:space:]]*:[[:space:]]*"${pod}"`
    return `${request(one, '-s')} | grep -q ${word([pattern])}`
  }

  function wait(ms: number): string[] {
    if (ms < 1_000) return []
    return [clock === null ? `sleep ${Math.ceil(ms / 1_000)}` : `wait_ms ${Math.ceil(ms)}`]
  }

  function usedLater(id: string, from: number): boolean {
    const body = (step: Step) => (step.body === null ? '' : (textOf(step.body) ?? ''))
    return steps.slice(from).some((step) => step.shown.request.url.includes(`/${id}`) || body(step).includes(`"${id}"`))
  }

  function cleanUp(): string[] {
    const removed = new Set(steps.filter(removes).map(({ shown }) => shown.subject))
    const owner = steps.find(({ made }) => made?.kind === 'pod')
    const authorization = headerOf(owner?.shown.request.headers ?? [], 'authorization')
    return [...pods].flatMap(([id, variable]) => {
      if (removed.has(id) || variable.startsWith('JOB')) return []
      const url = word([{ variable: 'BASE' }, ...deletion(scenario.deletePath, variable)])
      const key = authorization === null ? [] : headerArguments([['Authorization', authorization]], false)
      return [`# remove the pod afterwards: ${['curl -s -X DELETE', url, ...key].join(' ')}`]
    })
  }

  function head(lines: readonly string[]): string[] {
    const used = (name: string) => lines.some((line) => new RegExp(`\\$\\{?${name}\\b`).test(line))
    const helper = lines.some((line) => line.startsWith('wait_ms '))
    return [
      ...(steps.some(reports) && !isSeenInAnswer(scenario, steps.at(-1))
        ? [
            comment('these jobs report to the receiver of a run that is over, and end differently without it:'),
            comment(`the lines show the requests but not the failure; ${scenario.rerun} shows it`),
          ]
        : []),
      start(scenario),
      ...secretsOf(steps, scenario.hooks)
        .filter(({ variable }) => used(variable))
        .map(({ name, variable }) => demand(name, variable, scenario)),
      `export AGENT=${word([`plumbline/${scenario.plumbline} (run ${scenario.run}; rule ${scenario.rule})`])}`,
      ...(clock !== null && (helper || used('CLOCK')) ? [`export CLOCK=${address(clock)}`] : []),
      ...(helper ? [waitMs] : []),
      ...(scenario.omitted > 0
        ? [comment(`omitted here: ${counted(scenario.omitted, 'request')} of the scenario; the record has all`)]
        : []),
    ]
  }

  return { head, step }
}

/**
 * True if the last request shows the failure by itself: its status is wrong, or the rule is about the exchanges
 * of others and does not know the arrivals.
 */
function isSeenInAnswer({ rule, finding }: CurlScenario, last: Step | undefined): boolean {
  if (finding === null || last === undefined || last.shown.n !== finding.exchange) return false
  return last.shown.owner !== rule || (last.answer !== null && tellsStatusOf(finding, last.answer))
}

function reports({ body }: Step): boolean {
  const text = body === null ? '' : (textOf(body) ?? '')
  return beaconOf.test(text) || notifies.test(text)
}

/** The address of the target. The reference in process has none, so a served one takes its place. */
function start({ embedded, base, clock }: CurlScenario): string {
  if (!embedded) return `export BASE=${word([base])}`
  const serve = `${program} serve --port 8080${clock === null ? '' : ' --clock control'}`
  return `export BASE=http://127.0.0.1:8080  # after this serves the reference: ${serve}`
}

/** Advances a controlled clock by so many milliseconds, through all events that are due. */
const waitMs =
  'wait_ms() { local now end= i; for i in $(seq 1000); do ' +
  `now=$(curl -s "$CLOCK" | grep -o '"nowMs"[^,}]*' | grep -o '[0-9]*$'); end=\${end:-$((now + $1))}; ` +
  `[ "$now" -ge "$end" ] && break; ${advance('\'"$((end - now))"\'')}; done; }`

function advance(ms: string): string {
  return `curl -s -o /dev/null -X POST "$CLOCK" -H 'content-type: application/json' -d '{"advanceMs":${ms}}'`
}

function removes({ shown, answer }: Step): boolean {
  if (answer === null || answer.status >= 300) return false
  if (shown.operation === 'deletePod') return true
  return shown.operation === 'triggerPodAction' && (shown.request.body ?? '').includes('"terminate"')
}

function deletion(template: string, variable: string): Piece[] {
  const [before = '', after = ''] = template.split('{id}')
  return [before, { variable }, ...(after === '' ? [] : [after])]
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

/** Headers as sent; an empty one is written with a semicolon, as curl requires. */
function headerArguments(headers: HeaderPairs, hasBody: boolean): string[] {
  const sent = headers.filter(([name]) => !leftOut.has(name.toLowerCase()))
  const lines = sent.map(([name, value]) =>
    value.trim() === '' ? word([`${name};`]) : word(merged([`${name}: `, ...withSecrets(value)])),
  )
  const untyped = hasBody && headerOf(sent, 'content-type') === null
  return [...lines, ...(untyped ? [word(['Content-Type:'])] : [])].map((line) => `-H ${line}`)
}

function merged(pieces: readonly Piece[]): Piece[] {
  const [first, second, ...rest] = pieces
  return typeof first === 'string' && typeof second === 'string' ? [first + second, ...rest] : [...pieces]
}

function bodyOf(
  shown: ShownExchange,
  body: Uint8Array | null,
  quoted: (text: string) => string,
): { readonly before: string; readonly arguments: readonly string[] } {
  if (shown.request.bodyBytes === 0) return { before: '', arguments: [] }
  if (body === null) return { before: '', arguments: [`--data-binary @body-${shown.n}.bin`] }
  const text = textOf(body)
  if (text !== null && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^@/u.test(text))
    return { before: '', arguments: [`--data-binary ${quoted(text)}`] }
  return { before: `printf ${printfFormat(body)} | `, arguments: ['--data-binary @-'] }
}

function told(finding: Finding | null): string[] {
  if (finding === null) return []
  return [comment(`expected: ${finding.expected}`), comment(`observed: ${finding.observed}`)]
}

function secretsOf(steps: readonly Step[], hooks: CurlScenario['hooks']): { name: string; variable: string }[] {
  const texts = steps.flatMap(({ shown: { request }, body }) => [
    request.url,
    ...request.headers.map(([, value]) => value),
    body === null ? '' : (textOf(body) ?? ''),
  ])
  const names = [...texts, ...Object.values(hooks).flat()].flatMap((text) =>
    [...text.matchAll(/«([A-Za-z0-9._-]+)»/g)].map((match) => match[1] ?? ''),
  )
  return [...new Set(names)].sort().map((name) => ({ name, variable: variableOf(name) }))
}

function demand(name: string, variable: string, { embedded }: CurlScenario): string {
  const [kind, status, position = 1] = name.split('.')
  const where =
    kind === 'hook'
      ? `text ${position} from the environment in pods.statuses.${status}.hook`
      : name === 'key.altered'
        ? 'keys.full, with its last characters replaced,'
        : name.replace(/^key\./, 'keys.')
  const hint = embedded ? `${where} of the target file that ${program} serve prints` : `${where} of your target file`
  return `export ${variable}="\${${variable}:?set it to ${hint}}"`
}
