import { openapi } from '../../generated/openapi.ts'
import { ruleById } from '../../generated/rules.ts'
import { examplePrefix, looksSecret, shortestSecret } from '../../target/secrets.ts'
import type { PlaneSection, Target } from '../../target/types.ts'
import { routeOf } from '../client/caller.ts'
import { memoize } from '../common/memoize.ts'
import { allPlanes, sectionOf } from '../planes/index.ts'
import type { Plane } from '../planes/plane.ts'
import type { RunEvent } from './events.ts'
import { createRedactor, markOf, type Redactor } from './redact.ts'
import { fold } from './search.ts'

/** The first event of a record. */
export function runEventOf(target: Target, facts: Omit<RunEvent, 'type' | 'format' | 'target'>): RunEvent {
  return { type: 'run', format: 1, ...facts, target: describeTarget(target) }
}

/** The target for a record: each key and each secret of a plane is replaced by its mark. */
export function describeTarget(target: Target): Target {
  const hidden = Object.keys(headersOf(target)).map((header) => [header.slice(headerPrefix.length), markOf(header)])
  const headers = { ...target.network.headers, ...Object.fromEntries(hidden) }
  const described = sectionsOf(target).map(([{ name, describe }, section]) => {
    const shown = describe?.(section) ?? section
    return [name, section.headers === undefined ? shown : { ...shown, headers }]
  })
  const marks = Object.keys(target.keys).map((name) => [name, markOf(`key.${name}`)])
  const { ca, certificate } = target.network
  const network = {
    ca: ca === null ? null : markOf('network.ca'),
    certificate:
      certificate === null
        ? null
        : { cert: markOf('network.certificate.cert'), key: markOf('network.certificate.key') },
    headers,
  }
  return { ...target, ...Object.fromEntries(described), network, keys: Object.fromEntries(marks) }
}

/**
 * Names and values of a target's secrets, as the redactor takes them: `key.full` to the token. A key comes first, so it
 * has its own mark although a command gets it too. Texts that the target file shows elsewhere, and words of the API or of
 * the suite itself, are not secrets of a plane unless their name says so: requests and responses of a run contain them, and
 * a replay reads those again.
 */
export function secretsOf(target: Target): Record<string, string> {
  const texts = sectionsOf(target)
    .flatMap(([{ secrets }, section]) => secrets?.(section) ?? [])
    .concat(namedSecretsOf(target))
  const kept = texts.filter(
    ([name, text]) => looksSecret.test(name) || (text.length >= shortestSecret && !clearOf(target)(fold(text))),
  )
  return { ...keysOf(target), ...headersOf(target), ...Object.fromEntries(kept) }
}

const headerPrefix = 'network.headers.'

/** Headers of `network` that may hold the key of a gateway: long enough to be found in a text, and not a word of the API. */
function headersOf(target: Target): Record<string, string> {
  const long = Object.entries(target.network.headers).filter(
    ([name, value]) => value.length >= shortestSecret && (looksSecret.test(name) || !words.includes(fold(value))),
  )
  return Object.fromEntries(long.map(([name, value]) => [`${headerPrefix}${name}`, value]))
}

/** Masks the secrets of a target. */
export const redactorOf = memoize((target: Target) => createRedactor(secretsOf(target), clearOf(target)))

/** Every mark of a key begins so. */
const keyMark = '«key.'

/**
 * Replaces a value that holds one of its keys, which it finds as the record shows them: so a replay, whose keys are marks, finds the
 * same, and a body is searched only once.
 */
export const keyRedactorOf = memoize((target: Target): Redactor => {
  const { text, bytes } = redactorOf(target)
  const isMarked = ({ buffer, byteOffset, length }: Uint8Array) =>
    Buffer.from(buffer, byteOffset, length).includes(keyMark)
  return {
    text: (value) => (text(value).includes(keyMark) ? keyMark : value),
    bytes: (value) => (isMarked(bytes(value)) ? Buffer.from(keyMark) : value),
  }
})

function keysOf({ keys }: Target): Record<string, string> {
  return Object.fromEntries(Object.entries(keys).map(([name, value]) => [`key.${name}`, value]))
}

/** Texts of the file under a name that says that they are secret, such as `queue.input.s3Config.accessSecret`, by that name. */
export function namedSecretsOf(target: Target): [name: string, text: string][] {
  return sectionsOf(target).flatMap(([{ name }, section]) => secretsBelow(name, section))
}

function secretsBelow(path: string, value: unknown): [name: string, text: string][] {
  return Object.entries(Object(value)).flatMap(([name, part]): [string, string][] => {
    const inner = `${path}.${name}`
    if (typeof part !== 'string') return secretsBelow(inner, part)
    return looksSecret.test(name) && part.length >= shortestSecret ? [[inner, part]] : []
  })
}

/** Texts of a body under such names that are in clear nowhere else, as texts of the API are. */
export function secretsInBody(target: Target, body: unknown): string[] {
  return secretsBelow('', body).flatMap(([, text]) => (clearOf(target)(fold(text)) ? [] : [text]))
}

/** Words of the API and of the suite. */
const words = fold(JSON.stringify([openapi, [...ruleById.keys()], 'plumbline', examplePrefix]))

/** True if a folded text is in clear: in the file of a target, in the API or in the suite. */
export const clearOf = memoize((target: Target) => {
  const shown = [describeTarget(target), addressesOf(target)]
  const hidden = (name: string, value: unknown) => (typeof value === 'string' && looksSecret.test(name) ? '' : value)
  const texts = fold(JSON.stringify(shown, hidden))
  return (text: string): boolean => {
    const inner = JSON.stringify(text).slice(1, -1)
    return texts.includes(inner) || words.includes(inner)
  }
})

function sectionsOf(target: Target): [Plane, PlaneSection][] {
  return allPlanes().flatMap((plane): [Plane, PlaneSection][] => {
    const section = sectionOf(target, plane.name)
    return section === null ? [] : [[plane, section]]
  })
}

/** The addresses of all operations, as templates. */
function addressesOf(target: Target): string[] {
  return sectionsOf(target).flatMap(([, { url, paths }]) =>
    url === null ? [] : Object.values(paths).map((path) => `${url}${routeOf(path, '').path}`),
  )
}
