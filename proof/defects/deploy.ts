import type { Endpoint } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { deployPackage } from './deploy-package.ts'
import { failsJobs, isCreated, jobsFoundEverywhere, settles } from './endpoints-tools.ts'
import { type Change, defect, onJson, onResponse, part, route, toolPart, toolRefuses, toolStyled } from './tools.ts'

const twice = toolPart('endpointsOf', (next, project) => [...next(project), ...next(project)])

/** True for an endpoint that the tool created: a project adds a word to its name. */
const isDeployed = ({ name }: { readonly name?: string | null }) => /-\d+-[a-z]+\d*$/.test(name ?? '')

/** Purging a created endpoint purges all. */
const purgesAll: Change = part('purgeJobs', (next, endpoint, service) => {
  const created = [...service.queue.endpoints.values()].filter((one) => isCreated(one) && isDeployed(one))
  return (isDeployed(endpoint) ? created : [endpoint]).reduce((sum, one) => sum + next(one), 0)
})

/** Jobs of created endpoints fail if another created one breaks them. */
const failsWith = (breaks: (other: Endpoint) => boolean): Change =>
  part('finishJob', (next, job, _status, _result, service) => {
    const others = [...service.queue.endpoints.values()].filter((one) => isCreated(one) && one !== job.endpoint)
    if (isCreated(job.endpoint) && others.some(breaks)) next(job, 'FAILED', { error: 'no worker' })
    else next()
  })

/** Jobs of created endpoints that `when` picks fail once one of them was removed. */
const failsAfterRemoval =
  (when: (endpoint: Endpoint) => boolean): Change =>
  (options) => {
    let removed = 0
    const counted = part('removeEndpoint', (next, endpoint) => {
      if (isDeployed(endpoint)) removed++
      next()
    })(options)
    return failsJobs((endpoint) => removed > 0 && isDeployed(endpoint) && when(endpoint))(counted)
  }

const projectOf = ({ name }: Pick<Endpoint, 'name'>) => name.replace(/-[a-z]+\d*$/, '')

/** A deployed endpoint gets no worker if one of the other endpoints of its project keeps it from that. */
const startsNone = (keeps: (other: Endpoint) => boolean): Change =>
  part('takeWorker', (next, endpoint, service) => {
    const others = [...service.queue.endpoints.values()].filter((one) => one !== endpoint && isDeployed(one))
    return others.some((one) => projectOf(one) === projectOf(endpoint) && keeps(one)) ? undefined : next()
  })

/** Routes of deployed load-balanced endpoints are not served. */
const serves = (method: string, path: RegExp, status: number) =>
  onResponse(route(method, new RegExp(`/lb/ep-[^/]+${path.source}`)), () => ({ status }))

/** Defects of the deployment tool, and of the endpoints that it creates. */
export const deploy: readonly Defect[] = [
  defect('deploy-fails', 'deploy.endpoint-per-config', 'deployed', {
    says: 'The tool fails to deploy a valid project.',
    observed: 'exit code 1: internal error',
    tool: toolPart('endpointsOf', toolRefuses),
  }),
  defect('deploy-first-endpoint-only', 'deploy.endpoint-per-config', 'created', {
    says: 'The tool creates the first endpoint of a project alone.',
    observed: 'no endpoint named …-web, …-two',
    tool: toolPart('endpointsOf', (next, project) => next(project).slice(0, 1)),
  }),
  defect('deploy-one-kind-only', 'deploy.endpoint-per-config', 'created', {
    says: 'Of a project with endpoints of both kinds, the tool creates those of the first kind.',
    observed: 'no endpoint named …-web',
    tool: toolPart('endpointsOf', (next, project) => {
      const all = next(project)
      return all.filter(({ type }) => type === all[0]?.type)
    }),
  }),
  defect('deploy-two-endpoints-at-most', 'deploy.endpoint-per-config', 'created', {
    says: 'The tool creates the first two endpoints of a project alone.',
    observed: 'no endpoint named …-two',
    tool: toolPart('endpointsOf', (next, project) => next(project).slice(0, 2)),
  }),
  defect('deploy-every-endpoint-twice', 'deploy.endpoint-per-config', 'once', {
    says: 'The tool creates every endpoint of a project twice.',
    observed: '2 of one name',
    tool: (options) => toolStyled({ sameName: 'created' })(twice(options)),
  }),
  defect('deploy-lists-one-id', 'deploy.endpoint-per-config', 'ids', {
    says: 'The tool lists all endpoints with one id.',
    observed: 'one id for two endpoints',
    tool: toolPart('shown', (_, endpoints) => endpoints.map((one) => ({ ...one, id: endpoints[0]?.id ?? '' }))),
  }),
  defect('deploy-gives-new-ids', 'deploy.endpoint-per-config', 'kept', {
    says: 'The ids of all endpoints change with each deployment.',
    observed: 'other ids after a later project',
    tool: toolPart('shown', (_, endpoints) =>
      endpoints.map((one) => ({ ...one, id: `${one.id}-${endpoints.length}` })),
    ),
  }),
  defect('deploy-lists-positions', 'deploy.endpoint-per-config', 'kept', {
    says: 'The id of an endpoint is its position in the list.',
    observed: 'other ids after a later project',
    tool: toolPart('shown', (_, endpoints) => endpoints.map((one, at) => ({ ...one, id: `${at + 1}` }))),
  }),
  defect('deploy-lists-old-ids', 'deploy.endpoint-per-config', 'exists', {
    says: 'The tool lists endpoints with ids that endpoint management does not know.',
    observed: 'status 404',
    tool: toolPart('shown', (_, endpoints) => endpoints.map((one) => ({ ...one, id: `${one.id}-old` }))),
  }),
  defect('deploy-same-name-twice', 'deploy.same-name', 'one', {
    says: 'The tool creates two endpoints of one name.',
    observed: '2 endpoints of one name',
    tool: toolStyled({ sameName: 'created' }),
  }),
  defect('purge-of-all-deployed', 'deploy.independent', 'purge', {
    says: 'Purging a deployed endpoint purges all deployed endpoints.',
    observed: 'status 404',
    change: purgesAll,
  }),
  defect('crash-of-all-deployed', 'deploy.independent', 'crash', {
    says: 'After the worker of an endpoint has crashed, jobs of other deployed endpoints fail.',
    observed: 'FAILED',
    change: failsWith(({ counts }) => counts.failed > 0),
  }),
  defect('deployed-jobs-fail-beside-others', 'deploy.independent', 'beside', {
    says: 'Jobs of a deployed endpoint fail while another one executes a job.',
    observed: 'FAILED',
    change: failsWith(({ counts }) => counts.inProgress > 0),
  }),
  defect('remove-whole-project', 'deploy.independent', 'listed', {
    says: 'The tool removes all endpoints of a project with one of them.',
    observed: 'a list without another endpoint',
    tool: toolPart('isNamed', (_, shown, name) => shown.startsWith(name.replace(/-one$/, ''))),
  }),
  defect('remove-by-prefix', 'deploy.independent', 'listed', {
    says: 'The tool removes all endpoints whose names begin with the given one.',
    observed: 'a list without another endpoint',
    tool: toolPart('isNamed', (_, shown, name) => shown.startsWith(name)),
  }),
  defect('remove-breaks-others', 'deploy.independent', 'removal', {
    says: 'After an endpoint was removed, jobs of other deployed endpoints fail.',
    observed: 'FAILED',
    change: failsAfterRemoval(() => true),
  }),
  defect('remove-breaks-new-workers', 'deploy.independent', 'removal', {
    says: 'After an endpoint was removed, no other deployed endpoint can start a worker.',
    observed: 'FAILED',
    change: failsAfterRemoval(({ counts }) => counts.completed === 0),
  }),
  defect('deployed-endpoints-share-a-worker', 'deploy.independent', 'ends', {
    says: 'The endpoints of a project have one worker in common.',
    observed: 'IN_QUEUE, although one of another endpoint ends',
    change: startsNone(({ counts }) => counts.inProgress > 0),
  }),
  defect('crash-stops-others', 'deploy.independent', 'ends', {
    says: 'After the worker of an endpoint has crashed, the other endpoints of its project start no job.',
    observed: 'IN_QUEUE, although one of another endpoint ends',
    change: startsNone(({ deathsMs }) => deathsMs.length > 0),
  }),
  defect('deployed-jobs-shown-by-others', 'deploy.independent', 'jobs', {
    says: 'Deployed endpoints show the jobs of each other.',
    observed: 'status 200',
    change: jobsFoundEverywhere(),
  }),
  defect('deployed-first-function-only', 'deploy.queue-one-function', 'run', {
    says: 'Every endpoint of a project runs the function of its first one.',
    observed: 'another output',
    tool: (options) => ({ ...options, decoyTemplate: options.template }),
  }),
  defect('deployed-without-its-function', 'deploy.queue-one-function', 'run', {
    says: 'A deployed endpoint returns its input, whatever its function.',
    observed: 'another output',
    change: settles((settled) =>
      isDeployed(settled) ? { program: { execute: async ({ input }) => ({ kind: 'completed', output: input }) } } : {},
    ),
  }),
  defect('deployed-runsync-without-output', 'deploy.queue-one-function', 'runsync', {
    says: 'Deployed endpoints answer /runsync without the output.',
    observed: 'another output',
    wrap: onJson(route('POST', /\/v2\/ep-[^/]+\/runsync$/), ({ output: _, ...rest }) => rest),
  }),
  defect('deployed-routes-first-only', 'deploy.lb-many-routes', 'routes', {
    says: 'A deployed load-balanced endpoint serves its first routes alone.',
    observed: 'status 404',
    wrap: serves('GET', /\/plumbline\/(status|seen)\//, 404),
  }),
  defect('deployed-routes-last-missing', 'deploy.lb-many-routes', 'routes', {
    says: 'A deployed load-balanced endpoint does not serve its last route.',
    observed: 'status 404',
    wrap: serves('GET', /\/plumbline\/seen\//, 404),
  }),
  defect('deployed-routes-get-only', 'deploy.lb-many-routes', 'routes', {
    says: 'A deployed load-balanced endpoint serves GET alone.',
    observed: 'status 405',
    wrap: serves('POST', /\//, 405),
  }),
  defect('deployed-route-of-another-status', 'deploy.lb-many-routes', 'routes', {
    says: 'A deployed load-balanced endpoint answers 418 of a route as 200.',
    observed: 'status 200',
    wrap: serves('GET', /\/plumbline\/status\/418$/, 200),
  }),
  defect('deployed-routes-elsewhere', 'deploy.lb-many-routes', 'own', {
    says: 'Requests to a deployed load-balanced endpoint reach the workers of another one.',
    observed: 'the request elsewhere',
    change: part('passOn', (next, request, endpoint, service) =>
      next(request, service.balanced.endpoints.get('normal') ?? endpoint),
    ),
  }),
  defect('deployed-routes-at-sibling', 'deploy.lb-many-routes', 'own', {
    says: 'Requests to a deployed load-balanced endpoint reach the workers of the one created last.',
    observed: 'the request elsewhere',
    change: part('passOn', (next, request, endpoint, service) => {
      const isManaged = ({ id }: typeof endpoint) => id.startsWith('ep-')
      const last = [...service.balanced.endpoints.values()].findLast(isManaged)
      return next(request, isManaged(endpoint) ? (last ?? endpoint) : endpoint)
    }),
  }),
  defect('peer-looked-up-at-each-call', 'deploy.peer-cache', 'cached', {
    says: 'An endpoint looks up the address of a peer at every call.',
    observed: '1 more',
    tool: toolPart('isFresh', () => false),
  }),
  defect('peer-cached-forever', 'deploy.peer-cache', 'again', {
    says: 'An endpoint looks up the address of a peer once.',
    observed: 'no look-up',
    tool: toolPart('isFresh', () => true),
  }),
  ...deployPackage,
]
