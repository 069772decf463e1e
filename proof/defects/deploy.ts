import type { Project, SourceFile } from '../../reference/deploy/options.ts'
import type { Endpoint } from '../../reference/index.ts'
import type { Defect } from '../types.ts'
import { failsJobs, isCreated, jobsFoundEverywhere, settles } from './endpoints-tools.ts'
import { type Change, defect, onJson, onResponse, part, route, toolPart, toolRefuses, toolStyled } from './tools.ts'

type ToolChange = NonNullable<Defect['tool']>

const limit =
  (limitBytes: number): ToolChange =>
  (options) => ({ ...options, limitBytes })

const twice = toolPart('endpointsOf', (next, project) => [...next(project), ...next(project)])

const excludes = ({ exclude }: Project, name: string, how: 'startsWith' | 'endsWith') =>
  exclude.some((one) => name[how](one))

/** Files of the code that a tool may lose. */
const lostFiles: readonly (readonly [string, string, (file: { path: string; bytes: number }) => boolean])[] = [
  ['a-module', 'a module of the code', ({ path }) => path.endsWith('/beacon.py')],
  ['empty-files', 'the empty files of the code', ({ bytes }) => bytes === 0],
  ['blanks', 'the files that have blanks in their names', ({ path }) => path.includes(' ')],
  ['deep-files', 'the files below four folders', ({ path }) => path.split('/').length > 5],
  ['large-files', 'the files of more than 64 KiB', ({ bytes }) => bytes > 65_536],
]

/** Files of a dependency that a tool may lose. */
const lostModules: readonly (readonly [string, string, (path: string, bytes: number) => boolean])[] = [
  ['empty-modules', 'the empty modules of a dependency', (_, bytes) => bytes === 0],
  ['inner-modules', 'the packages in a dependency', (path) => path.includes('/inner/')],
]

/** The first 64 KiB of a file. */
function cutFile(file: SourceFile): SourceFile {
  if (file.bytes <= 65_536) return file
  return {
    ...file,
    bytes: 65_536,
    read: () => [...(file.read() as Iterable<Uint8Array>)].map((all) => all.subarray(0, 65_536)),
  }
}

/** True for an endpoint that the tool created: a project adds a word to its name. */
const isDeployed = ({ name }: { readonly name?: string | null }) => /-\d+-[a-z]+$/.test(name ?? '')

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

const projectOf = ({ name }: Pick<Endpoint, 'name'>) => name.replace(/-[a-z]+$/, '')

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
    observed: '2 names without one',
    tool: toolPart('endpointsOf', (next, project) => next(project).slice(0, 1)),
  }),
  defect('deploy-two-endpoints-at-most', 'deploy.endpoint-per-config', 'created', {
    says: 'The tool creates the first two endpoints of a project alone.',
    observed: '1 name without one',
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
    observed: 'a list without the other endpoint',
    tool: toolPart('isNamed', (_, shown, name) => shown.startsWith(name.replace(/-one$/, ''))),
  }),
  defect('remove-without-effect', 'deploy.independent', 'removed', {
    says: 'The tool reports that it removed an endpoint, and removes nothing.',
    observed: 'an endpoint that executes jobs',
    tool: toolPart('removed', () => []),
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
    change: jobsFoundEverywhere,
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
  defect('build-fails', 'deploy.manifest', 'built', {
    says: 'The tool fails to build the package of a valid project.',
    observed: 'exit code 1: internal error',
    tool: toolPart('admit', toolRefuses),
  }),
  ...lostFiles.map(([name, what, isLost]) =>
    defect(`package-without-${name}`, 'deploy.manifest', 'code', {
      says: `A package lacks ${what}.`,
      observed: '1 file missing',
      tool: toolPart('filesOf', (next, tree) => next(tree).filter((file) => !isLost(file))),
    }),
  ),
  defect('package-without-dependencies', 'deploy.manifest', 'dependencies', {
    says: 'A package holds no dependency.',
    observed: 'no file of the dependency',
    tool: toolPart('leavesOut', () => true),
  }),
  ...lostModules.map(([name, what, isLost]) =>
    defect(`package-without-${name}`, 'deploy.manifest', 'dependencies', {
      says: `A package lacks ${what}.`,
      observed: '1 file missing',
      tool: toolPart('filesOf', (next, tree) =>
        next(tree).filter(({ path, bytes }) => !(path.startsWith('dependencies/') && isLost(path, bytes))),
      ),
    }),
  ),
  defect('package-with-cut-files', 'deploy.manifest', 'code', {
    says: 'A package holds the first 64 KiB of a file alone.',
    observed: '1 file missing',
    tool: toolPart('filesOf', (next, tree) => next(tree).map(cutFile)),
  }),
  defect('package-without-manifest', 'deploy.manifest', 'manifest', {
    says: 'A package has no manifest.json.',
    observed: 'no manifest',
    tool: toolStyled({ manifest: 'notes.txt' }),
  }),
  defect('manifest-first-endpoint-only', 'deploy.manifest', 'names', {
    says: 'The manifest names the first endpoint alone.',
    observed: '2 endpoints not named',
    tool: toolPart('manifestOf', (next, project) => next({ ...project, endpoints: project.endpoints.slice(0, 1) })),
  }),
  defect('manifest-queues-only', 'deploy.manifest', 'names', {
    says: 'The manifest does not name load-balanced endpoints.',
    observed: '1 endpoint not named',
    tool: toolPart('manifestOf', (next, project) =>
      next({ ...project, endpoints: project.endpoints.filter(({ type }) => type === 'queue') }),
    ),
  }),
  defect('limit-1-gb', 'deploy.too-large', 'accepted', {
    says: 'The tool refuses packages above 1 GB.',
    observed: 'exit code 1: the package is larger than 1 GB; leave dependencies out with "exclude" in project.json',
    tool: limit(1_000_000_000),
  }),
  defect('package-cut', 'deploy.too-large', 'accepted', {
    says: 'The tool packs the first GB of a file alone.',
    observed: 'less than its content',
    tool: toolPart('filesOf', (next, tree) =>
      next(tree).map((file) => ({ ...file, bytes: Math.min(file.bytes, 1e9) })),
    ),
  }),
  defect('limit-2-gb', 'deploy.too-large', 'refused', {
    says: 'The tool accepts packages up to 2 GB.',
    observed: 'exit code 0',
    tool: limit(2_000_000_000),
  }),
  defect('limit-without-message', 'deploy.too-large', 'message', {
    says: 'The tool refuses a package without a message.',
    observed: 'no output',
    tool: toolPart('says', () => ''),
  }),
  defect('limit-after-creation', 'deploy.too-large', 'not-created', {
    says: 'The tool refuses a package after it has created its endpoint.',
    observed: '1 endpoint',
    tool: toolStyled({ packs: 'last' }),
  }),
  defect('exclude-leaves-out-all', 'deploy.excludes', 'kept', {
    says: 'A project that excludes a dependency gets a package without any.',
    observed: 'no file of a dependency',
    tool: toolPart('leavesOut', (next, name, project) => project.exclude.length > 0 || next(name, project)),
  }),
  defect('exclude-by-prefix', 'deploy.excludes', 'kept', {
    says: 'The tool leaves out dependencies whose names begin with an excluded one.',
    observed: 'no file of a dependency',
    tool: toolPart('leavesOut', (next, name, project) => excludes(project, name, 'startsWith') || next(name, project)),
  }),
  defect('exclude-by-suffix', 'deploy.excludes', 'kept', {
    says: 'The tool leaves out dependencies whose names end with an excluded one.',
    observed: 'no file of a dependency',
    tool: toolPart('leavesOut', (next, name, project) => excludes(project, name, 'endsWith') || next(name, project)),
  }),
  defect('base-by-prefix', 'deploy.excludes', 'kept', {
    says: 'The tool leaves out dependencies whose names begin with a package of the base image.',
    observed: 'no file of a dependency',
    tool: toolPart('leavesOut', (next, name, project) => /^plumbline-base/.test(name) || next(name, project)),
  }),
  defect('exclude-code', 'deploy.excludes', 'kept', {
    says: 'The tool leaves out code whose name contains that of an excluded dependency.',
    observed: 'no use-plumbline-other.py',
    tool: toolPart('filesOf', (next, tree) =>
      next(tree).filter(
        ({ path }) => !/^worker\//.test(path) || !tree.project.exclude.some((one) => path.includes(one)),
      ),
    ),
  }),
  defect('exclude-first-only', 'deploy.excludes', 'excluded', {
    says: 'The tool leaves out the first excluded dependency alone.',
    observed: 'files of the dependency',
    tool: toolPart('leavesOut', (next, name, project) =>
      next(name, { ...project, exclude: project.exclude.slice(0, 1) }),
    ),
  }),
  defect('exclude-ignored', 'deploy.excludes', 'excluded', {
    says: 'The tool packs dependencies that the project excludes.',
    observed: 'files of the dependency',
    tool: toolPart('leavesOut', (next, name, project) => next(name, { ...project, exclude: [] })),
  }),
  defect('base-packages-packed', 'deploy.excludes', 'base', {
    says: 'The tool packs dependencies that the base image has.',
    observed: 'files of the dependency',
    tool: (options) => ({ ...options, basePackages: [] }),
  }),
  defect('excluded-counted', 'deploy.excluded-not-counted', 'accepted', {
    says: 'Excluded dependencies count for the size of a package.',
    observed: 'exit code 1: internal error',
    tool: toolPart('admit', (_, { files }) => {
      if (files.reduce((sum, { bytes }) => sum + bytes, 0) > 1_500_000_000) toolRefuses()
    }),
  }),
  defect('peer-looked-up-at-each-call', 'deploy.peer-cache', 'cached', {
    says: 'An endpoint looks up the address of a peer at every call.',
    observed: '1 more',
    tool: toolPart('isFresh', () => false),
  }),
  defect('peer-cached-for-200-s', 'deploy.peer-cache', 'cached', {
    says: 'An endpoint looks up the address of a peer again after 200 s.',
    observed: '1 more',
    tool: toolPart('isFresh', (_, ageMs) => ageMs < 200_000),
  }),
  defect('peer-cached-forever', 'deploy.peer-cache', 'again', {
    says: 'An endpoint looks up the address of a peer once.',
    observed: 'no look-up',
    tool: toolPart('isFresh', () => true),
  }),
]
