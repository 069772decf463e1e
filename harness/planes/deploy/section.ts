import { parseDuration } from '../../../target/duration.ts'
import { examplePrefix, looksSecret, resolveText, shortestSecret } from '../../../target/secrets.ts'
import type { FileSection } from '../../../target/section.ts'
import type { DeployPlane } from '../../../target/types.ts'
import { filled, type Surroundings, take, unlike } from '../../../target/values.ts'
import { markOf } from '../../record/redact.ts'

/** Defaults of the deployment tool. */
const defaultDeploy: Omit<DeployPlane, 'url' | 'paths' | 'commands' | 'environment' | 'secrets'> = {
  // 10m: a package of 1.4 GB is packed in a minute and uploaded in a few.
  limitMs: 600_000,
  manifest: 'manifest.json',
  preinstalled: null,
  worker: false,
}

const commandNames = ['build', 'deploy', 'list', 'remove', 'call'] as const
/** Placeholders that a command cannot do without. */
const placeholders = {
  build: ['{project}', '{package}'],
  deploy: ['{project}'],
  list: [],
  remove: ['{name}'],
  call: ['{from}', '{to}'],
} as const
/** The shortest time limit of a command, ms. */
const leastLimitMs = 100

/** The deployment tool of a target file with every default filled in. Faults are noted, not thrown. */
export function deployOf(section: FileSection<'deploy'>, around: Surroundings): DeployPlane {
  const { build, deploy, list, remove, call, environment = {}, limit, ...rest } = section
  const values = Object.entries(environment).map(([name, text]) => {
    const value = take(resolveText(text, around.environment), ['deploy', 'environment', name], around.fault)
    if (value === null) return { name, value: '', isSecret: false }
    if (value === text && looksSecret.test(name) && !text.startsWith(examplePrefix)) {
      around.fault(
        ['deploy', 'environment', name],
        `deploy.environment.${name} is written out; use \${NAME} and set the variable`,
      )
    }
    if (value !== text && looksSecret.test(name) && value.length < shortestSecret) {
      around.fault(
        ['deploy', 'environment', name],
        `deploy.environment.${name} is shorter than ${shortestSecret} characters, so it could not be kept out of the record; use a longer one`,
      )
    }
    return { name, value, isSecret: value !== text }
  })
  for (const name of commandNames) {
    const words = section[name] ?? []
    for (const placeholder of words.length === 0 ? [] : placeholders[name]) {
      if (words.some((word) => word.includes(placeholder))) continue
      around.fault(['deploy', name], `deploy.${name} has no ${placeholder}; add it where the command takes it`)
    }
  }
  const limitMs = limit === undefined ? defaultDeploy.limitMs : parseDuration(limit)
  if (limitMs === null || limitMs < leastLimitMs) {
    around.fault(['deploy', 'limit'], `deploy.limit: expected a length of time of at least 100ms, got ${limit}`)
  }
  return {
    ...defaultDeploy,
    ...rest,
    url: null,
    paths: deployPaths,
    commands: { build, deploy, list, remove, ...(call === undefined ? {} : { call }) },
    environment: Object.fromEntries(values.map(({ name, value }) => [name, value])),
    secrets: values.flatMap(({ name, isSecret }) => (isSecret ? [name] : [])),
    limitMs: limitMs ?? defaultDeploy.limitMs,
  }
}

/** The section as a target file has it, without what is a default. */
export function writeDeploy(section: DeployPlane): Readonly<Record<string, unknown>> {
  const { url: _, paths: __, secrets: ___, commands, environment, limitMs, ...rest } = section
  return {
    ...Object.fromEntries(
      commandNames.flatMap((name) => (commands[name] === undefined ? [] : [[name, commands[name]]])),
    ),
    ...filled('environment', environment),
    ...(limitMs === defaultDeploy.limitMs ? {} : { limit: `${limitMs}ms` }),
    ...unlike(rest, defaultDeploy),
  }
}

/** Names of the commands in the addresses of a record; `{id}` is the name of an endpoint. */
export const deployPaths: DeployPlane['paths'] = {
  buildPackage: 'build',
  deployProject: 'deploy',
  listDeployed: 'list',
  findDeployed: 'list/{id}',
  removeDeployed: 'remove/{id}',
  callPeer: 'call',
}

/** Names and values of the secrets that the commands get, as the redactor takes them. */
export function deploySecrets({ secrets, environment }: DeployPlane): [name: string, value: string][] {
  return secrets.map((name) => [`deploy.${name}`, environment[name] ?? ''])
}

/** The section for a record: each secret is replaced by its mark. */
export function describeDeploy(section: DeployPlane): DeployPlane {
  const marks = section.secrets.map((name) => [name, markOf(`deploy.${name}`)])
  return { ...section, environment: { ...section.environment, ...Object.fromEntries(marks) } }
}
