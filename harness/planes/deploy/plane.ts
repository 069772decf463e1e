import type { DeployPlane } from '../../../target/types.ts'
import { commandScheme } from '../../tool/address.ts'
import { always, given, notInDocument, type Plane, perOperation } from '../plane.ts'
import { deployFoundations } from './foundations.ts'
import { deployOf, deployPaths, deploySecrets, describeDeploy, writeDeploy } from './section.ts'

/** Each runs a command; its end and its output are the response. */
const operations = Object.fromEntries(
  Object.entries(deployPaths).map(([name, path]) => {
    const method = path.startsWith('list') ? 'GET' : 'POST'
    return [name, notInDocument('management', { method, path, success: [200] })]
  }),
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
    deploy: always('the deployment tool', line),
    'deploy.worker': given('worker', 'the conformance worker on deployed endpoints', 'deploy: {worker: true}'),
    'deploy.preinstalled': given('preinstalled', 'a package of the base image', 'deploy: {preinstalled: PACKAGE}'),
    'deploy.lookups': {
      says: 'look-ups of addresses that can be observed',
      line: "deploy: {call: [TOOL, call, '{from}', '{to}']}",
      given: ({ commands }) => commands.call !== undefined,
    },
  },
  pacing: perOperation(operations),
  foundations: Object.values(deployFoundations),
  creates: {
    kind: 'deployed endpoint',
    line: { kind: 'resource', plane: 'deploy' },
    create: 'deployProject',
    list: 'listDeployed',
    get: 'findDeployed',
    remove: 'removeDeployed',
    listAt: () => 'endpoints',
    isGone: () => false,
  },
  probes: [],
  load: null,
  probeKeys: 'the commands under deploy',
  read: deployOf,
  write: writeDeploy,
  describe: describeDeploy,
  secrets: deploySecrets,
}
