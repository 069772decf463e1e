import type { Recipe as RecipeSection } from '../../../generated/target-file.ts'
import type { FileSection } from '../../../target/section.ts'
import type { PodSection, PodStatus, Recipe, Target } from '../../../target/types.ts'
import { addressOf, filled, type Path, type Surroundings, unlike } from '../../../target/values.ts'
import { defaultPaths, defaultPlane } from './defaults.ts'
import { describeHook, hookOf, secretTexts } from './hook.ts'

/** Reads the section of the pod plane. */
export function podsOf(
  given: string | FileSection<'pods'>,
  around: Surroundings,
  absent: Target['absent'],
): PodSection {
  if (typeof given === 'string') return planeOf({ url: given }, ['pods'], around, absent)
  return planeOf(given, ['pods', 'url'], around, absent)
}

function planeOf(section: FileSection<'pods'>, path: Path, around: Surroundings, absent: Target['absent']): PodSection {
  const {
    url,
    allowPlainHttp = false,
    paths,
    statuses = {},
    cpu: givenCpu,
    catalog,
    change,
    fromTemplate,
    registry,
    ...rest
  } = section
  if (rest.capacity !== undefined && !isPattern(rest.capacity)) {
    const message = `pods.capacity: expected a regular expression, got ${JSON.stringify(rest.capacity)}`
    around.fault(['pods', 'capacity'], message)
  }
  const noCpu = absent['pods.cpu'] !== undefined || absent.catalog !== undefined
  const cpu = typeof givenCpu === 'string' ? 'catalog' : (givenCpu ?? (noCpu ? null : defaultPlane.cpu))
  if (rest.persistent !== undefined && rest.gpu === undefined) {
    around.fault(['pods', 'persistent'], 'pods.persistent needs GPU pods; add pods.gpu')
  }
  for (const other of ['volumeSecond', 'volumeElsewhere'] as const) {
    if (rest[other] === undefined) continue
    if (rest.volume === undefined) {
      around.fault(['pods', other], `pods.${other} is given without pods.volume; add pods.volume`)
    }
    if (rest[other] === rest.volume) {
      around.fault(['pods', other], `pods.${other} is the same volume as pods.volume; give another one`)
    }
  }
  return {
    ...defaultPlane,
    ...rest,
    url: addressOf(url, allowPlainHttp, path, around),
    paths: { ...defaultPaths, ...paths },
    cpu,
    catalog: catalog ?? cpu === 'catalog',
    // As a pod shows them.
    fromTemplate: fromTemplate === undefined ? null : { body: { template: fromTemplate.id }, ...fromTemplate },
    registry: registry === undefined ? null : { body: { registry: registry.id }, ...registry },
    change: change ?? (absent['pods.change'] === undefined ? defaultPlane.change : null),
    recipes: Object.fromEntries(
      Object.entries(statuses).map(([status, recipe]) => [status, recipeOf(status as PodStatus, recipe, around)]),
    ),
  }
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'i')
    return true
  } catch {
    return false
  }
}

function recipeOf(status: PodStatus, { body = {}, actions, hook }: RecipeSection, around: Surroundings): Recipe {
  const standard = status === 'EXITED' && hook === undefined ? ['stop'] : []
  return { body, actions: actions ?? standard, hook: hook === undefined ? null : hookOf(hook, status, around) }
}

/** The section for a record: each secret text of a hook is replaced by its mark. */
export function describePods(section: PodSection): PodSection {
  const recipes = Object.entries(section.recipes).map(([status, recipe]): [string, Recipe] => [
    status,
    { ...recipe, hook: describeHook(status, recipe.hook) },
  ])
  return { ...section, recipes: Object.fromEntries(recipes) }
}

/** Names and values of the secrets of hooks. */
export function podSecrets({ recipes }: PodSection): [name: string, text: string][] {
  return Object.entries(recipes).flatMap(([status, { hook }]) => secretTexts(status, hook))
}

/** The section of a target file that says the same; defaults are left out. */
export function writePods({ url, paths, recipes, ...rest }: PodSection): Record<string, unknown> {
  const given = Object.entries(unlike(rest, defaultPlane)).filter(([, value]) => value !== null)
  return {
    url,
    ...filled('paths', unlike(paths, defaultPaths)),
    ...Object.fromEntries(given),
    ...filled('statuses', Object.fromEntries(Object.entries(recipes).map(([name, one]) => [name, writtenRecipe(one)]))),
  }
}

function writtenRecipe({ hook, ...rest }: Recipe): Record<string, unknown> {
  if (hook === null) return rest
  return { ...rest, hook: 'url' in hook ? hook.url : hook.command }
}
