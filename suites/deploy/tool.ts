import type { ApiResponse } from '../../harness/client/api-response.ts'
import { firstFew } from '../../harness/common/first-few.ts'
import { isSuccess } from '../../harness/exchange/exchange.ts'
import { membersOf } from '../../harness/exchange/read.ts'
import { deployFoundations } from '../../harness/planes/deploy/foundations.ts'
import type { Context } from '../../harness/rule/context.ts'
import { endIn, endText } from '../../harness/tool/end.ts'
import type { CommandEnd, Deployed, PackageSummary, ProjectTree } from '../../harness/tool/types.ts'
import { retryWhileQuotaIsUsed } from '../shared/endpoints.ts'
import { isNamed } from '../shared/listing.ts'
import { poll } from '../shared/poll.ts'
import { projectOf } from './projects.ts'

/** The end of a command of the tool. */
export interface ToolEnd extends CommandEnd {
  readonly response: ApiResponse
}

/** How many of several names a failure shows. */
const namesShown = 3

/** How long a deployment waits for several workers at once, which other rules take one by one, ms. */
const workersWaitMs = 180_000
/** How much later a refused project is searched for once more, ms. */
const laterMs = 2_000

/** Builds the package of a project. */
export function build(context: Context, tree: ProjectTree): Promise<ToolEnd> {
  return perform(context, 'buildPackage', tree)
}

/**
 * Deploys a project; again for a while if the account has no workers left, which other rules give back.
 * @param anyRefusalMs how long any refusal may mean that, whatever it says
 */
export async function deploy(context: Context, tree: ProjectTree, anyRefusalMs = 0): Promise<ToolEnd> {
  const { clock } = context
  const untilMs = clock.now() + anyRefusalMs
  const isUsed = (end: ToolEnd) => saysQuota(end) || (end.exit !== 0 && clock.now() < untilMs)
  const end = await retryWhileQuotaIsUsed(context, () => perform(context, 'deployProject', tree), isUsed, workersWaitMs)
  if (saysQuota(end)) context.inconclusive('the account has no workers left for the endpoints of the project')
  return end
}

async function perform(context: Context, operation: string, body: object): Promise<ToolEnd> {
  const response = await context.on('deploy').call(operation, { body })
  return { response, ...endIn(response.json) }
}

function saysQuota({ exit, stdout, stderr }: CommandEnd): boolean {
  const said = `${stdout}${stderr}`.toLowerCase()
  return exit !== 0 && ['workers', 'quota'].every((word) => said.includes(word))
}

/**
 * A project that was deployed. If the tool refuses it, or does not list it, the tool is to blame if the same becomes of a
 * project with two queue-based endpoints; otherwise the rule fails.
 */
export async function deployed(context: Context, tree: ProjectTree): Promise<readonly Deployed[]> {
  const { blame, check, relies } = context
  await relies(deployFoundations.deployed)
  const tried = await tryToDeploy(context, tree)
  if (tried.failure === null) return tried.endpoints
  const twin = await tryToDeploy(context, projectOf(context, 'two-queues'))
  if (twin.failure !== null) blame(deployFoundations.deployed, twin.failure)
  check('deployed').that(false, 'a project that is deployed and listed', tried.failure, tried.response)
  return tried.endpoints
}

async function tryToDeploy(context: Context, tree: ProjectTree) {
  const end = await deploy(context, tree)
  if (end.exit !== 0) return { failure: `deploy ended with ${endText(end)}`, endpoints: [], response: end.response }
  const { endpoints, response } = await listWith(context, namesOf(tree))
  const own = namesOf(tree).flatMap((name) => endpoints.find((one) => isNamed(one.name, name)) ?? [])
  const isWhole = own.length === namesOf(tree).length
  const failure = isWhole ? null : 'the list does not show an endpoint of a deployed project'
  return { failure, endpoints: own, response }
}

/** Some names in a failure. */
export function someOf(names: readonly string[]): string {
  return firstFew(names, namesShown)
}

/** An endpoint's name without that of its project, which differs in each run: `…-web`. */
export function suffixOf(name: string): string {
  return `…${name.slice(name.lastIndexOf('-'))}`
}

/** Unique names of the endpoints of a project. */
export function namesOf({ project }: ProjectTree): readonly string[] {
  return [...new Set(project.endpoints.map(({ name }) => name))]
}

/**
 * The list of the tool once it shows all these names and no endpoint that was removed, or as it is after the tolerance
 * `visible`. `still`: removed endpoints that it shows all the same.
 */
export async function listWith(context: Context, names: readonly string[], removed: readonly Deployed[] = []) {
  const { inconclusive, on, target } = context
  const look = async () => {
    const response = await on('deploy').call('listDeployed')
    const { endpoints } = membersOf(response.json) ?? {}
    if (!isSuccess(response.status) || endpoints === undefined)
      inconclusive(`the list of the tool ended with ${endText(endIn(response.json))}`)
    const listed = endpoints as readonly Deployed[]
    const still = removed.filter(({ endpoint }) => listed.some((one) => one.endpoint === endpoint))
    return { response, endpoints: listed, still }
  }
  const isDone = ({ endpoints, still }: Awaited<ReturnType<typeof look>>) =>
    still.length === 0 && names.every((name) => endpoints.some((one) => isNamed(one.name, name)))
  return poll(context, target.tolerances.visibleMs, look, isDone)
}

/**
 * How many endpoints of each of these names are listed, at once and a little later, beside an endpoint that is deployed
 * after them.
 */
export async function countListed(context: Context, names: readonly string[], later: ProjectTree) {
  await deployed(context, later)
  const look = async () => {
    const { response, endpoints } = await listWith(context, namesOf(later))
    return { response, count: endpoints.filter((one) => names.some((name) => isNamed(one.name, name))).length }
  }
  const first = await look()
  await context.clock.sleep(laterMs)
  const second = await look()
  return second.count > first.count ? second : first
}

/** The package of a build. Ends the rule as inconclusive if its format is unknown. */
export function readable({ inconclusive }: Context, found: PackageSummary): PackageSummary {
  if (found.format === 'unknown') inconclusive('the package is neither a tar.gz nor a zip; let the adapter convert it')
  return found
}

/** True if a package holds a dependency: a segment of a path is its name, or its name with a version. */
export function holds({ paths }: PackageSummary, dependency: string): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[-_.]+/g, '-')
  const named = new RegExp(`^${plain(dependency)}(-\\d.*|-py)?$`)
  return paths.some((path) => path.split('/').some((segment) => named.test(plain(segment))))
}
