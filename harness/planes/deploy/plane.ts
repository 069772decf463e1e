import type { OperationFacts } from '../../../generated/operations.ts'
import { deployOf, deployPaths, deploySecrets, describeDeploy, writeDeploy } from '../../../target/deploy.ts'
import type { DeploySection } from '../../../target/file.ts'
import type { DeployPlane } from '../../../target/types.ts'
import { commandScheme } from '../../tool/address.ts'
import { perOperation } from '../pacing.ts'
import type { Plane } from '../plane.ts'

/** Each runs a command; its end and its output are the response. */
const operations: Readonly<Record<string, OperationFacts>> = Object.fromEntries(
  Object.entries(deployPaths).map(([name, path]) => [
    name,
    {
      plane: 'management',
      method: path.startsWith('list') ? 'GET' : 'POST',
      path,
      held: false,
      body: null,
      success: [200],
      rate: null,
    },
  ]),
)

const line =
  "deploy: {build: [TOOL, build, '{project}', '{package}'], deploy: [TOOL, deploy, '{project}'], list: [TOOL, list], remove: [TOOL, remove, '{name}']}"

/** The deployment tool, as commands of the machine that runs the suite. */
export const deploy: Plane<DeployPlane> = {
  name: 'deploy',
  title: 'the deployment tool',
  operations,
  areas: ['deploy'],
  accept: 'application/json',
  scheme: commandScheme,
  capabilities: {
    deploy: { says: 'the deployment tool', line, given: () => true },
    'deploy.worker': {
      says: 'the conformance worker on deployed endpoints',
      line: 'deploy: {worker: true}',
      given: ({ worker }) => worker,
    },
    'deploy.preinstalled': {
      says: 'a package of the base image',
      line: 'deploy: {preinstalled: PACKAGE}',
      given: ({ preinstalled }) => preinstalled !== null,
    },
    'deploy.lookups': {
      says: 'look-ups of addresses that can be observed',
      line: "deploy: {call: [TOOL, call, '{from}', '{to}']}",
      given: ({ commands }) => commands.call !== undefined,
    },
  },
  pacing: perOperation(operations),
  creates: {
    kind: 'deployed endpoint',
    line: { kind: 'resource', plane: 'deploy' },
    create: 'deployProject',
    list: 'listDeployed',
    get: 'findDeployed',
    remove: 'removeDeployed',
    listAt: () => 'endpoints',
    isGone: () => false,
    isScarce: true,
  },
  probes: [],
  load: null,
  probeKeys: 'the commands under deploy',
  read: (section, _, around) => deployOf(section as DeploySection, around),
  write: writeDeploy,
  describe: describeDeploy,
  secrets: deploySecrets,
}
