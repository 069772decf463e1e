import type { ApiResponse } from '../../harness/client/api-response.ts'
import { lengthOf } from '../../harness/common/length.ts'
import { pluralize } from '../../harness/common/pluralize.ts'
import { isSuccess, jsonIn } from '../../harness/exchange/exchange.ts'
import { membersOf, show } from '../../harness/exchange/read.ts'
import type { LbClient } from '../../harness/planes/lb/client.ts'
import type { Step, SubmittedJob } from '../../harness/planes/queue/fixtures/types.ts'
import type { Context } from '../../harness/rule/context.ts'
import { rule } from '../../harness/rule/registry.ts'
import { endIn, endText } from '../../harness/tool/end.ts'
import type { Deployed, ProjectTree } from '../../harness/tool/types.ts'
import { echo, received, sentOnce, serving, servingNormal, usesNormal } from '../shared/balanced.ts'
import { expectNotShown, expectOwnOutput, submitTo } from '../shared/endpoint-jobs.ts'
import { get } from '../shared/endpoints.ts'
import { isNamed } from '../shared/listing.ts'
import { poll, untilFound } from '../shared/poll.ts'
import { outputOf, projectOf } from './projects.ts'
import { countListed, deploy, deployed, listWith, namesOf, someOf, suffixOf } from './tool.ts'

type ProjectEndpoint = ProjectTree['project']['endpoints'][number]

/** The cache of peer addresses, ms (heading Limits). It is surely used after the first time, and no longer after both. */
const staleMs = 300_000
const [cachedMs, overMs] = [240_000, 70_000]
/** The shortest wait of /runsync for its job, ms: the description has 60 s as the default. */
const runsyncMs = 10_000

/** How long any refusal of a valid project may mean that the quota of workers is used, ms. */
const anyRefusalMs = 30_000

const workerNeed = 'deploy.worker'
/** The rule that a deployed endpoint takes jobs. */
const takesJobs = 'deploy.queue-one-function'

rule('deploy.endpoint-per-config', { creates: 3 }, async (context) => {
  const { check, notJudged, on, part, target } = context
  const names: string[] = []
  let earlier: readonly Deployed[] = []
  const several = projectOf(context, part('lb') ? 'mixed' : 'three-queues')
  for (const tree of [several, projectOf(context, 'one-queue')]) {
    // One is enough to see that it is kept, and others need the workers.
    for (const id of names.splice(0, names.length - 1)) await on('deploy').call('removeDeployed', { ids: { id } })
    const end = await deploy(context, tree, anyRefusalMs)
    check('deployed').that(end.exit === 0, 'exit code 0', endText(end), end.response)
    names.push(...namesOf(tree))
    const { response, endpoints, still } = await listWith(context, names, earlier.slice(0, -1))
    if (still.length > 0) {
      const late = lengthOf(target.tolerances.visibleMs)
      const left = pluralize(still.length, 'endpoint')
      notJudged('removal', `${left} still listed ${late} after deploy.remove; check what that command removes`)
    }
    const own = names.map((name) => endpoints.filter((one) => isNamed(one.name, name)))
    const missing = names.filter((_, at) => own[at]?.length === 0).map(suffixOf)
    check('created').that(
      missing.length === 0,
      'an endpoint of each name',
      `no endpoint named ${someOf(missing)}`,
      response,
    )
    const most = Math.max(...own.map(({ length }) => length))
    check('once').that(most === 1, 'one endpoint of each name', `${most} of one name`, response)
    const all = own.flat()
    const ids = all.map(({ endpoint }) => endpoint)
    check('ids').that(new Set(ids).size === ids.length, 'an id for each', 'one id for two endpoints', response)
    const isKept = earlier.slice(-1).every(({ endpoint }) => ids[0] === endpoint)
    check('kept').that(isKept, 'the ids of the earlier project', 'other ids after a later project', response)
    earlier = all
  }
  for (const { endpoint } of part('management') ? earlier : []) {
    const shown = await untilFound(context, () => get(context, endpoint))
    check('exists').that(isSuccess(shown.status), 'an endpoint', `status ${shown.status}`, shown)
  }
})

rule('deploy.same-name', { creates: 3 }, async (context) => {
  const { check, reading } = context
  const tree = projectOf(context, 'same-name')
  const end = await deploy(context, tree)
  const { response, count } = await countListed(context, namesOf(tree), projectOf(context, 'one-queue'))
  check('one').that(count < 2, 'one endpoint at most', `${count} endpoints of one name`, response)
  reading('project', end.exit === 0 ? pluralize(count, 'endpoint') : 'refused')
})

rule('deploy.independent', { creates: 3, varies: ['order'] }, async (context) => {
  const { begun, check, ended, found, inconclusive, notJudged, on, part, target, vary } = context
  const tree = projectOf(context, 'three-queues', {
    // Finds a tool that removes every endpoint whose name begins with the given one.
    arranged([first, second, third]) {
      const [removed, kept] = vary.ordered([first, second]) as [ProjectEndpoint, ProjectEndpoint]
      return [removed, kept, { ...(third as ProjectEndpoint), name: `${removed.name}2` }]
    },
  })
  const [one, two, third] = (await deployed(context, tree)) as [Deployed, Deployed, Deployed]
  const isHeld = part('receiver')
  const busy = await begin(context, two, 'crash', isHeld ? [{ hold: 'go' }] : [])
  if (isHeld) {
    await begun(busy)
    await expectOutput(context, 'beside', await begin(context, one, 'beside'))
  }
  const waiting = await begin(context, two, 'purge')
  await found(waiting)
  const purge = await on('queue').call('purgeQueue', { ids: { endpoint: one.endpoint }, body: {} })
  if (!isSuccess(purge.status)) notJudged('purge', `the purge of the other endpoint has status ${purge.status}`)
  const seen = await waiting.queue.status(waiting.id)
  check('purge').that(seen.status !== 404, 'the job', 'status 404', seen)
  const crashing = await submitTo(context, one.endpoint, { steps: [{ exit: 1 }], workerNeed }, takesJobs)
  const { settled, status } = await ended(crashing)
  // A platform may execute it again and again.
  const isDead = settled || (isHeld && crashing.beacon.executions().length > 1)
  if (isHeld && !isDead) inconclusive('a crashing job did not end while the other endpoint was busy')
  if (!isDead || status === 'COMPLETED') notJudged('crash', `the job that ends its worker was ${status}`)
  await expectNotShown(context, 'jobs', crashing.queue, waiting.id)
  if (isHeld) busy.beacon.release('go')
  await expectOutput(context, 'crash', busy)
  await expectOutput(context, 'purge', waiting)
  await expectOutput(context, 'crash', await begin(context, two, 'crash'))
  const removal = await on('deploy').call('removeDeployed', { ids: { id: one.name } })
  if (!isSuccess(removal.status)) inconclusive('the tool did not remove an endpoint')
  const { response, endpoints, still } = await listWith(context, [two.name, third.name], [one])
  const areListed = [two, third].every((other) => endpoints.some(({ name }) => name === other.name))
  check('listed').that(areListed, 'a list with the other endpoints', 'a list without another endpoint', response)
  if (still.length > 0)
    inconclusive(`an endpoint is still listed ${lengthOf(target.tolerances.visibleMs)} after the tool removed it`)
  await expectOutput(context, 'removal', await begin(context, two, 'removal'))
  // This one had no worker before the removal.
  const job = await begin(context, third, 'removal')
  await expectOutput(context, 'removal', job, outputOf(tree, third, 'removal'))
})

rule('deploy.queue-one-function', { creates: 2, varies: ['order'] }, async (context) => {
  const { vary } = context
  const tree = projectOf(context, 'two-functions', { arranged: (endpoints) => vary.ordered(endpoints) })
  for (const one of await deployed(context, tree)) {
    await expectOutput(context, 'run', await begin(context, one, 'run'), outputOf(tree, one, 'run'))
    await expectRunsync(context, one, outputOf(tree, one, 'runsync'))
  }
})

/** The worker of the endpoint has come, so a synchronous job is answered with its output. */
async function expectRunsync(context: Context, { endpoint }: Deployed, expected: unknown): Promise<void> {
  const { check, fixture, inconclusive } = context
  const { body, queue } = fixture.job({ at: endpoint, steps: [{ output: 'runsync' }], workerNeed })
  const response = await queue.runsync(body)
  const { output, status } = membersOf(response.json) ?? {}
  const { received, sent } = response.exchange
  const isWaitOver = received.target - sent.target >= runsyncMs
  if (isWaitOver && (status === 'IN_QUEUE' || status === 'IN_PROGRESS'))
    inconclusive('the job outlasted the wait of /runsync')
  check('runsync').that(output === expected, 'the output of the function', 'another output', response)
}

/** A job that is submitted to a deployed endpoint; its output is its clause. */
function begin(
  context: Context,
  { endpoint }: Deployed,
  clause: string,
  first: readonly Step[] = [],
): Promise<SubmittedJob> {
  return submitTo(context, endpoint, { steps: [...first, { output: clause }], workerNeed }, takesJobs)
}

/** The job ends with its output: its endpoint works. If it does not end, an endpoint of another project is tried. */
function expectOutput(context: Context, clause: string, job: SubmittedJob, output = clause): Promise<void> {
  const texts = (status: string) =>
    ['the output of the function', status === 'COMPLETED' ? 'another output' : status] as const
  return expectOwnOutput(context, clause, job, output, texts, async () => {
    const [twin] = (await deployed(context, projectOf(context, 'one-queue'))) as [Deployed]
    return (await context.ended(await begin(context, twin, clause))).settled
  })
}

rule('deploy.lb-many-routes', { ...usesNormal, creates: 2, varies: ['order'] }, async (context) => {
  const { check, inconclusive, lb, vary } = context
  const clients = (await deployed(context, projectOf(context, 'routes'))).map(({ url }) =>
    lb.at(url ?? inconclusive('the list of the tool shows no url of the load-balanced endpoint')),
  )
  const [client, sibling] = vary.ordered(clients) as [LbClient, LbClient]
  await expectRoutes(context, client)
  await serving(context, client)
  const { nonce, response: echoed } = await sentOnce(context, client, 'POST', echo, { body: { prompt: 'a' } })
  check('routes').status(echoed, 200)
  const { method, path } = check('routes').object(echoed)
  const observed = `${show(method)} ${show(path)}`
  check('routes').that(method === 'POST' && path === echo, `"POST" ${show(echo)}`, observed, echoed)
  const normal = await servingNormal(context)
  for (const route of ['/plumbline/status/202', '/plumbline/status/418']) {
    // Other rules judge if the status is that of the worker.
    const { status } = await normal.send('GET', route)
    check('routes').status(await client.send('GET', route), status)
  }
  const { times, response } = await received(context, client, nonce)
  check('own').that(times > 0, 'the request at its own address', 'no request there', response)
  await serving(context, sibling)
  for (const other of [normal, sibling]) {
    const elsewhere = await received(context, other, nonce)
    check('own').that(elsewhere.times === 0, 'no request elsewhere', 'the request elsewhere', elsewhere.response)
  }
})

/** Routes of the project, each answered with a success by the worker. */
const routes = [
  ['POST', echo],
  ['GET', '/plumbline/status/202'],
  ['GET', '/plumbline/seen/none'],
] as const

/** Waits until every route is served. If that takes too long, the rule fails if one is absent while others are served. */
async function expectRoutes(context: Context, client: LbClient): Promise<void> {
  const { check, target } = context
  const look = async () => {
    const seen = []
    for (const [method, path] of routes) {
      const body = method === 'POST' ? { body: {} } : {}
      seen.push({ path, response: await client.send(method, path, { ...body, repeats: false }) })
    }
    return seen
  }
  const isServed = ({ response }: { readonly response: ApiResponse }) => isSuccess(response.status)
  const found = await poll(context, target.tolerances.coldStartMs, look, (seen) => seen.every(isServed))
  // The worker may have come between two requests of the last look.
  const last = found.some(isServed) && !found.every(isServed) ? await look() : found
  for (const { path, response } of last.some(isServed) ? last : []) {
    const isAbsent = response.status === 404 || response.status === 405
    check('routes').that(!isAbsent, `${path} of the project`, `status ${response.status}`, response)
  }
}

rule('deploy.peer-cache', { creates: 2 }, async (context) => {
  const { check, clock, inconclusive } = context
  const [one, two] = (await deployed(context, projectOf(context, 'two-queues'))) as [Deployed, Deployed]
  const first = await lookups(context, one, two)
  for (const ms of [0, cachedMs]) {
    if (ms > 0) await clock.sleep(ms)
    const { response, count } = await lookups(context, one, two, 'cached')
    const ageMs = response.exchange.received.target - first.response.exchange.sent.target
    if (ageMs >= staleMs) inconclusive(`the call of a peer came ${ageMs} ms after the first one, which is too late`)
    if (ms > 0 && count > first.count) inconclusive('an early look-up: the cache may have ended with an idle worker')
    check('cached').that(count === first.count, 'no look-up', `${count - first.count} more`, response)
  }
  await clock.sleep(overMs)
  const { response, count } = await lookups(context, one, two, 'again')
  check('again').that(count > first.count, 'another look-up', 'no look-up', response)
})

/**
 * Lets an endpoint call a peer: how often it has looked up the peer's address so far. A new peer may be reachable some
 * seconds after its creation. `clause`: the rule fails in it if the call does; given once a call has succeeded.
 */
async function lookups(context: Context, from: Deployed, to: Deployed, clause?: string) {
  const { check, inconclusive, on, target } = context
  const send = () => on('deploy').call('callPeer', { body: { from: from.name, to: to.name } })
  const response = await poll(context, target.tolerances.visibleMs, send, ({ status }) => isSuccess(status))
  const end = endIn(response.json)
  const failure = `the call of a peer ended with ${endText(end)}`
  if (clause !== undefined)
    check(clause).that(isSuccess(response.status), 'a call that succeeds again', failure, response)
  if (!isSuccess(response.status)) inconclusive(failure)
  const count = membersOf(jsonIn(end.stdout))?.lookups
  return typeof count === 'number'
    ? { response, count }
    : inconclusive('the call of a peer did not print {"lookups": NUMBER}')
}
