import { operationsOf } from '../../generated/operations.ts'
import { pathOf, routeOf } from '../../harness/client/caller.ts'
import { redactorOf } from '../../harness/record/describe.ts'
import { waitMs, word } from '../../results/shell.ts'
import type { WalkCall } from '../../suites/walk/walk.ts'
import type { EndpointRole, QueuePlane, Target } from '../../target/types.ts'
import { createShellParts, typeHeader } from './shell-lines.ts'

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

/** Shell lines that take the steps of a walk on jobs, and show its jobs afterwards; they start a receiver. */
export function jobLines(target: Target, calls: readonly WalkCall[]): string[] {
  const plane = target.queue as QueuePlane
  const shell = createShellParts(target)
  const endpoints = new Map(calls.flatMap(({ job, endpoint }) => (job === undefined ? [] : [[job, endpoint] as const])))

  /** The arguments of curl for an operation on a job or an endpoint. */
  function call(operation: keyof QueuePlane['paths'], endpoint: EndpointRole = 'normal', job = ''): string {
    const { method, path } = routeOf(plane.paths[operation], operationsOf('queue')[operation].method)
    const address = pathOf(path, { endpoint: plane.endpoints[endpoint] ?? '' }).replace('{job}', `$${job}`)
    return `-X ${method} "$BASE${address}" ${shell.header('full')}`
  }

  const status = (job: string) => call('getJobStatus', endpoints.get(job), job)
  const isReal = target.clock === 'real'
  const wait = (seconds: number) => (isReal ? `sleep ${seconds}` : `wait_ms ${seconds * 1_000}`)
  // Workers take real time on a controlled clock as well.
  const tick = isReal ? 'sleep 1' : `sleep 0.1; ${shell.pause(0.2)}`

  function waitFor([job, seen]: readonly [string, string]): string[] {
    return passing.has(seen) ? [] : [`until_status ${word(seen)} ${status(job)}`]
  }

  function request({ operation, job, endpoint, bytes, seconds = 0 }: WalkCall): string {
    if (operation === 'wait') return wait(seconds)
    if (operation === 'release') return `curl -s -o /dev/null "$RECEIVER/${job}/release"`
    const curl = call(operation as keyof QueuePlane['paths'], endpoint, job)
    if (bytes === undefined) return `curl -si -m 2 ${curl}; echo`
    const text = new TextDecoder().decode(bytes)
    if (job === undefined) return shell.sends(bytes, `${curl} ${typeHeader}`)
    return `${job}=$(curl -s ${curl} ${typeHeader} -d ${word(text)} | grep -o '"id"[^,]*' | head -1 | cut -d '"' -f 4)`
  }

  const submitted = calls.flatMap(({ operation, job }) => (operation === 'runJob' && job !== undefined ? [job] : []))
  const { listen, url } = addressOf(target)
  return [
    shell.exports(plane.url, 'full'),
    ...(target.clock === 'real' ? [] : [`export CLOCK=${word(target.clock.url)}`, waitMs]),
    `until_status() { local status=$1 i; shift; for i in $(seq 150); do curl -s "$@" | grep -q '"status"[[:space:]]*:[[:space:]]*"'"$status"'"' && break; ${tick}; done; }`,
    `export RECEIVER=${word(url)}; node -e '${receiver}.listen(${listen})' & RECEIVER_PID=$!; for i in $(seq 100); do curl -s -o /dev/null "$RECEIVER" && break; sleep 0.1; done`,
    ...calls.flatMap((one) => [request(one), ...Object.entries(one.seen ?? {}).flatMap(waitFor)]),
    ...submitted.map((job) => `curl -s ${status(job)}; echo`),
    `# afterwards: kill $RECEIVER_PID; ${submitted.map((job) => `curl -s ${call('cancelJob', endpoints.get(job), job)}`).join('; ')}`,
  ].map(redactorOf(target).text)
}

/** Port and host of the receiver, as arguments, and the address at which the target reaches it. */
function addressOf({ receiver }: Target): { readonly listen: string; readonly url: string } {
  const [, host = '127.0.0.1', port = '0'] = /^(.*):(\d+)$/.exec(receiver?.listen ?? '') ?? []
  if (port === '0') return { listen: `${usualPort},"${host}"`, url: `http://${host}:${usualPort}` }
  return { listen: `${port},"${host.replace(/^\[|\]$/g, '')}"`, url: receiver?.url || `http://${host}:${port}` }
}
