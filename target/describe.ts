import { openapi } from '../generated/openapi.ts'
import { ruleById } from '../generated/rules.ts'
import { allPlanes, sectionOf } from '../harness/planes/index.ts'
import { markOf } from '../harness/record/redact.ts'
import { deploySecrets } from './deploy.ts'
import type { Hook, PodPlane, Recipe, Target } from './types.ts'

/** A shorter text would be found by chance in every response. */
const shortestSecret = 8

/** The target for a record: each key and each secret text of a hook is replaced by its mark. */
export function describeTarget(target: Target): Target {
  return {
    ...target,
    pods: target.pods === null ? null : { ...target.pods, recipes: describeRecipes(target.pods.recipes) },
    deploy: describeDeploy(target.deploy ?? null),
    keys: Object.fromEntries(Object.keys(target.keys).map((name) => [name, markOf(`key.${name}`)])),
  }
}

/**
 * Names and values of a target's secrets, as the redactor takes them: `key.full` to the token. A key comes first, so it
 * has its own mark although a command gets it too. Texts that the target file shows elsewhere, and words of the API or of
 * the suite itself, are not secrets of a hook or a command: requests and responses of a run contain them, and a replay
 * reads those again.
 */
export function secretsOf(target: Target): Record<string, string> {
  const keys = Object.fromEntries(Object.entries(target.keys).map(([name, value]) => [`key.${name}`, value]))
  const recipes = Object.entries(target.pods?.recipes ?? {})
  const texts = [
    ...deploySecrets(target.deploy ?? null),
    ...recipes.flatMap(([status, { hook }]) => secretTexts(status, hook)),
  ]
  if (texts.length === 0) return keys
  const clear = JSON.stringify([
    describeTarget(target),
    addressesOf(target),
    openapi,
    [...ruleById.keys()],
    'plumbline',
  ])
  const isSecret = (text: string) => text.length >= shortestSecret && !clear.includes(JSON.stringify(text).slice(1, -1))
  return { ...keys, ...Object.fromEntries(texts.filter(([, text]) => isSecret(text))) }
}

/** The addresses of all operations, as templates. */
function addressesOf(target: Target): string[] {
  return allPlanes().flatMap(({ name }) => {
    const section = sectionOf(target, name)
    return section === null || section.url === null
      ? []
      : Object.values(section.paths).map((path) => `${section.url}${path}`)
  })
}

function describeDeploy(section: Target['deploy']): Target['deploy'] {
  if (section === null) return null
  const marks = deploySecrets(section).map(([name]) => [name.replace('deploy.', ''), markOf(name)])
  return { ...section, environment: { ...section.environment, ...Object.fromEntries(marks) } }
}

function describeRecipes(recipes: PodPlane['recipes']): PodPlane['recipes'] {
  return Object.fromEntries(
    Object.entries(recipes).map(([status, recipe]): [string, Recipe] => [
      status,
      { ...recipe, hook: describeHook(status, recipe.hook) },
    ]),
  )
}

function describeHook(status: string, hook: Hook | null): Hook | null {
  if (hook === null) return null
  const marks = new Map(secretTexts(status, hook).map(([name, text]) => [text, markOf(name)]))
  const shown = (text: string) => marks.get(text) ?? text
  return 'url' in hook ? { url: shown(hook.url) } : { command: hook.command.map(shown) }
}

/** The texts of a hook that came from the environment, and values in them, each with its name: `hook.ERROR`, `hook.ERROR.2`. */
function secretTexts(status: string, hook: Hook | null): [name: string, text: string][] {
  const texts = hook?.secrets ?? []
  return [...new Set([...texts, ...texts.flatMap(valuesIn)])].map((text, at) => [
    `hook.${status}${at === 0 ? '' : `.${at + 1}`}`,
    text,
  ])
}

/**
 * The text after a `=`, a `:` or a blank, except the `//` of an address: the value of an option, of a connection string
 * or of JSON, the token of a header line, the password of an address; to the end of the text, to the next character that
 * ends a value, and to each before it that may end one or belong to it.
 */
function valuesIn(text: string): string[] {
  return [...text.matchAll(/(?<=[=:\s]["'[{(]*)(?!\/\/)[^=:\s"'[{(]/g)].flatMap(({ index }) => {
    const rest = text.slice(index)
    const value = rest.split(/[=:\s&@]/, 1).join('')
    return [rest, value, ...[...value.matchAll(/[;,"'#}\])]/g)].map((end) => value.slice(0, end.index))]
  })
}
