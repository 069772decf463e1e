import { redactorOf } from '../../harness/record/describe.ts'
import { word } from '../../results/shell.ts'
import { showsStatus, untilSuccess } from '../../results/shell-requests.ts'
import type { WalkCall } from '../../suites/walk/walk.ts'
import type { EndpointRole, Target } from '../../target/types.ts'
import { createPlaneShell } from './plane-shell.ts'

/** The receiver of the lines if that of the target file takes any port. */
const usualPort = 8091

/**
 * A receiver for the workers: it counts executions and holds jobs until `/A/release` is called, as `spec/worker.md` says, and prints
 * what else arrives.
 */
const receiver = [
  'const n={},free={},held={};require("http").createServer((q,s)=>{',
  'const[,j,w]=/\\/([A-Z])\\/(\\w+)/.exec(q.url)??[],go=()=>s.end(JSON.stringify({n:n[j]}));',
  'if(w==="start")n[j]=(n[j]??0)+1;',
  'if(w==="hold"&&!free[j])return void(held[j]??=[]).push(go);',
  'if(w==="release"){free[j]=1;for(const each of held[j]??[])each()}',
  'else if(w&&w!=="hold")console.log("receiver:",j,w);go()})',
].join('')

/** Statuses that a job may leave by itself, or in which it is not shown. */
const passing: ReadonlySet<string> = new Set(['IN_QUEUE', 'gone'])

/** A job counts as gone after so many reads in a row without a status: the first reads may be stale. */
const goneReads = 10

/** Shell lines that take the steps of a walk on jobs, and show its jobs afterwards; they start a receiver. */
export function jobLines(target: Target, calls: readonly WalkCall[]): string[] {
  const { text } = redactorOf(target)
  const { curl, create, wait, exports, request } = createPlaneShell(target, 'queue')
  const endpoints = new Map(calls.flatMap(({ job, endpoint }) => (job === undefined ? [] : [[job, endpoint] as const])))

  /** The request of an operation on a job or an endpoint. */
  function requestOf(operation: string, role: EndpointRole = 'normal', job = '', body: string | null = null) {
    const endpoint = target.queue?.endpoints[role] ?? ''
    return request(operation, { variable: job, endpoint, body: body === null ? null : text(body) })
  }

  const status = (job: string) => curl(requestOf('getJobStatus', endpoints.get(job), job), '-s')
  // Workers take real time on a controlled clock as well.
  const tick = target.clock === 'real' ? wait(1_000) : `sleep 0.1; ${wait(200)}`

  const shows = (status: string) => showsStatus('printf %s "$shown"', status)
  const isPast = `shown=$("$@"); ${shows('[A-Z_]*')} && gone=0 || gone=$((gone + 1)); [ $gone = ${goneReads} ] || ${shows(`'"$status"'`)}`

  function waitFor([job, seen]: readonly [string, string]): string[] {
    return passing.has(seen) ? [] : [`until_status ${word(seen)} ${status(job)}`]
  }

  function lineOf({ operation, job, endpoint, bytes, seconds = 0 }: WalkCall): string {
    if (operation === 'wait') return wait(seconds * 1_000)
    if (operation === 'release') return `curl -s -o /dev/null "$RECEIVER/${job}/release"`
    const body = bytes === undefined ? null : new TextDecoder().decode(bytes)
    const sent = requestOf(operation, endpoint, job, body)
    if (operation === 'runJob' && job !== undefined) return create(job, sent)
    return `${curl(sent, bytes === undefined ? '-si -m 2' : '-si')}; echo`
  }

  const submitted = calls.flatMap(({ operation, job }) => (operation === 'runJob' && job !== undefined ? [job] : []))
  const cancelled = submitted.map((job) => curl(requestOf('cancelJob', endpoints.get(job), job), '-s'))
  const { listen, url } = addressOf(target)
  const lines = [
    `until_status() { local status=$1 gone=0 shown i; shift; ${untilSuccess(isPast, 150, tick)}; }`,
    `export RECEIVER=${word(url)}; node -e '${receiver}.listen(${listen})' & RECEIVER_PID=$!; ${untilSuccess('curl -s -o /dev/null "$RECEIVER"', 100, 'sleep 0.1')}`,
    ...calls.flatMap((one) => [lineOf(one), ...Object.entries(one.seen ?? {}).flatMap(waitFor)]),
    ...submitted.map((job) => `${status(job)}; echo`),
    `# afterwards: kill $RECEIVER_PID; ${cancelled.join('; ')}`,
  ]
  return [...exports(), ...lines]
}

/** Port and host of the receiver, as arguments, and the address at which the target reaches it. */
function addressOf({ receiver }: Target): { readonly listen: string; readonly url: string } {
  const [, host = '127.0.0.1', port = '0'] = /^(.*):(\d+)$/.exec(receiver?.listen ?? '') ?? []
  if (port === '0') return { listen: `${usualPort},"${host}"`, url: `http://${host}:${usualPort}` }
  return { listen: `${port},"${host.replace(/^\[|\]$/g, '')}"`, url: receiver?.url || `http://${host}:${port}` }
}
