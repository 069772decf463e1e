import { type HeaderPairs, headerOf } from '../harness/exchange/exchange.ts'
import { examplePrefix } from '../target/secrets.ts'
import type { TargetFacts } from './rerun.ts'
import {
  curlFunction,
  longBytes,
  moving,
  renameMarks,
  required,
  secretVariable,
  waitMs,
  word,
  writing,
} from './shell.ts'

/** A request as shell lines send it. Its texts have marks of secrets, as in a record, and of variables: `«POD_1»`. */
export interface ShellRequest {
  readonly method: string
  readonly url: string
  readonly headers: HeaderPairs
  /** Text needs `fitsWord`; bytes are sent as they are, marks too. */
  readonly body: string | Uint8Array | null
  /** True if the target may hold it until time has passed; default: false. */
  readonly isHeld?: boolean
}

/** Headers that curl sends itself, or that are useless outside the run. */
const omittedHeaders =
  /^(accept-encoding|connection|content-length|host|traceparent|tracestate|transfer-encoding|user-agent)$/i
/** Marks of variables; any other mark is that of a secret. */
const isVariable = /^[A-Z][A-Z0-9_]*$/

/** True if a text can be an argument of `--data-binary`. */
export function fitsWord(text: string): boolean {
  return text.length <= longBytes && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^@/u.test(text)
}

/** The requests of some shell lines to one target. `agent`: their User-Agent; null for that of curl. */
export function createShellRequests(target: TargetFacts, agent: string | null = null) {
  const { base, clock, variables } = target
  const secrets = new Set<string>()
  let usesClock = false
  let movesClock = false

  function argument(text: string): string {
    const named = renameMarks(text, (name) => {
      if (isVariable.test(name)) return name
      secrets.add(name)
      return secretVariable(name, variables)
    })
    return word(named)
  }

  function address(url: string): string {
    const isInside = url.startsWith(base) && /^([/?#]|$)/.test(url.slice(base.length))
    return argument(isInside ? `«BASE»${url.slice(base.length)}` : url)
  }

  /** Headers as sent; an empty one is written with a semicolon, as curl requires. */
  function headerArguments(headers: HeaderPairs, hasBody: boolean): string[] {
    const sent = headers.filter(([name]) => !omittedHeaders.test(name))
    const lines = sent.map(([name, value]) => (value.trim() === '' ? `${name};` : `${name}: ${value}`))
    const untyped = hasBody && headerOf(sent, 'content-type') === null
    return [...lines, ...(untyped ? ['Content-Type:'] : [])].map((line) => `-H ${argument(line)}`)
  }

  function curl({ method, url, headers, body, isHeld = false }: ShellRequest, flags: string): string {
    const isBytes = body !== null && typeof body !== 'string'
    const moves = isHeld && clock !== null
    if (moves) usesClock = movesClock = true
    const parts = [
      isBytes ? `${writing(body)} |` : '',
      moves ? 'moving curl' : 'curl',
      flags,
      agent === null ? '' : '-A "$AGENT"',
      method === 'GET' && body === null ? '' : `-X ${word(method)}`,
      /[[\]{}]/.test(url) ? '-g' : '',
      /\/\.{1,2}(\/|$)/.test(url) ? '--path-as-is' : '',
      address(url),
      ...headerArguments(headers, body !== null),
      body === null ? '' : `--data-binary ${isBytes ? '@-' : argument(body)}`,
    ]
    return parts.filter((part) => part !== '').join(' ')
  }

  return {
    /** The request as a command; flags: those of curl. */
    curl,
    /** Sends a request that creates something, and keeps its id: the one at this position in the response, from 1. */
    create(variable: string, request: ShellRequest, position = 1): string {
      const id = `grep -o '"id"[[:space:]]*:[[:space:]]*"[^"]*"' | sed -n ${position}p | cut -d '"' -f 4`
      return `${variable}=$(${curl(request, '-s')} | ${id}); echo "${variable}=$${variable}"`
    },
    /** A wait on the clock of the target. */
    wait(ms: number): string {
      if (clock === null) return `sleep ${Math.ceil(ms / 1_000)}`
      usesClock = true
      return `wait_ms ${Math.ceil(ms)}`
    },
    /** The lines before the others: they set the variables that those use. */
    exports(): string[] {
      return [
        exportBase(target),
        ...curlFunction(target.files),
        ...inOrder(secrets).map((name) => exportSecret(name, target)),
        ...(agent === null ? [] : [`export AGENT=${word(agent)}`]),
        ...(clock !== null && usesClock ? [`export CLOCK=${address(clock)}`, waitMs] : []),
        ...(movesClock ? [moving] : []),
      ]
    },
  }
}

/** Succeeds if the response that a command prints shows this status. */
export function showsStatus(command: string, status: string): string {
  return `${command} | grep -q '"status"[[:space:]]*:[[:space:]]*"${status}"'`
}

/** Repeats a command until it succeeds; `pause`: what is done in between. */
export function untilSuccess(command: string, times: number, pause: string | null): string {
  return `for i in $(seq ${times}); do ${command} && break;${pause === null ? '' : ` ${pause};`} done`
}

/** The address of the target. The reference in process has none, so a served one takes its place. */
function exportBase({ embedded, base, clock, program }: TargetFacts): string {
  if (!embedded) return `export BASE=${word(base)}`
  const serve = `${program} serve --port 8080${clock === null ? '' : ' --clock control'}`
  return `export BASE=http://127.0.0.1:8080  # after this serves the reference: ${serve}`
}

/** Keys that are in no target file, made of the full one as `harness/common/mutate.ts` does with most keys. */
const nearKeys: Readonly<Record<string, (full: string) => string>> = {
  'key.altered': (full) =>
    `$(${split(full)}; printf %s "\${core%????}"; printf %s "\${core: -4}" | tr 'a-zA-Z0-9' 'd-za-cD-ZA-C5-90-4'; printf %s "$pad")`,
  'key.shortened': (full) => `$(${split(full)}; printf %s "\${core%?}")`,
  'key.recased': (full) => `$(printf %s "$${full}" | tr 'a-zA-Z' 'A-Za-z')`,
}

/** Shell lines that split a key after its last letter or digit. */
function split(full: string): string {
  return `pad="\${${full}##*[a-zA-Z0-9]}"; core="\${${full}%"$pad"}"`
}

/** Secrets in the order of their lines: near keys after the full one, of which they are made. */
function inOrder(secrets: ReadonlySet<string>): string[] {
  const near = [...secrets].filter((name) => nearKeys[name] !== undefined)
  const others = new Set([...secrets, ...(near.length > 0 ? ['key.full'] : [])]).difference(new Set(near))
  return [...[...others].sort(), ...near.sort()]
}

/** Takes a secret from the environment, and says which one it is if it is missing there; makes a near key of the full one. */
function exportSecret(name: string, { embedded, variables }: TargetFacts): string {
  const variable = secretVariable(name, variables)
  const near = nearKeys[name]?.(secretVariable('key.full', variables))
  if (near !== undefined) return `export ${variable}="${near}"`
  // Example keys are public. The quotes keep a terminal, which hides keys, from masking it.
  const isExample = name.startsWith('key.') && (embedded || variables[name] === '')
  if (isExample) return `export ${variable}=\${${variable}:-${examplePrefix}''${name.replace('key.', '')}}`
  const where = name.replace(/^key\./, 'keys.')
  return `export ${variable}="${required(variable, where)}"`
}
