import { openapi } from '../generated/openapi.ts'
import { ruleById } from '../generated/rules.ts'
import { allPlanes, sectionOf } from '../harness/planes/index.ts'
import type { Plane } from '../harness/planes/plane.ts'
import { markOf } from '../harness/record/redact.ts'
import { looksSecret, shortestSecret } from './secrets.ts'
import type { PlaneSection, Target } from './types.ts'

/** The target for a record: each key and each secret of a plane is replaced by its mark. */
export function describeTarget(target: Target): Target {
  const described = sectionsOf(target).map(([{ name, describe }, section]) => [name, describe?.(section) ?? section])
  const marks = Object.keys(target.keys).map((name) => [name, markOf(`key.${name}`)])
  return { ...target, ...Object.fromEntries(described), keys: Object.fromEntries(marks) }
}

/**
 * Names and values of a target's secrets, as the redactor takes them: `key.full` to the token. A key comes first, so it
 * has its own mark although a command gets it too. Texts that the target file shows elsewhere, and words of the API or of
 * the suite itself, are not secrets of a plane unless their name says so: requests and responses of a run contain them, and
 * a replay reads those again.
 */
export function secretsOf(target: Target): Record<string, string> {
  const keys = Object.fromEntries(Object.entries(target.keys).map(([name, value]) => [`key.${name}`, value]))
  const texts = sectionsOf(target).flatMap(([{ secrets }, section]) => secrets?.(section) ?? [])
  if (texts.length === 0) return keys
  const clear = JSON.stringify([
    describeTarget(target),
    addressesOf(target),
    openapi,
    [...ruleById.keys()],
    'plumbline',
  ])
  const isClear = (text: string) => clear.includes(JSON.stringify(text).slice(1, -1))
  const kept = texts.filter(
    ([name, text]) => looksSecret.test(name) || (text.length >= shortestSecret && !isClear(text)),
  )
  return { ...keys, ...Object.fromEntries(kept) }
}

function sectionsOf(target: Target): [Plane, PlaneSection][] {
  return allPlanes().flatMap((plane): [Plane, PlaneSection][] => {
    const section = sectionOf(target, plane.name)
    return section === null ? [] : [[plane, section]]
  })
}

/** The addresses of all operations, as templates. */
function addressesOf(target: Target): string[] {
  return sectionsOf(target).flatMap(([, { url, paths }]) =>
    url === null ? [] : Object.values(paths).map((path) => `${url}${path}`),
  )
}
