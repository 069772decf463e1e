import type { TargetFile } from '../../generated/target-file.ts'
import { podPermissions } from '../../target/permissions.ts'
import type { KeyName, Target } from '../../target/types.ts'
import { allPlanes, sectionOf } from '../planes/index.ts'
import type { Capability } from '../planes/plane.ts'

/** A need of no single plane; `given` takes the target alone. A key is looked up by its name. */
type General = Omit<Capability, 'given'> & { given?(target: Target): boolean }

const general: Readonly<Record<string, General>> = {
  'key.second': key('second', 'another key of the same account'),
  'key.restricted': key(
    'restricted',
    'a key that lacks permissions',
    `keys: {restricted: {key: '\${RESTRICTED_API_KEY}'}}`,
  ),
  'restricted.may': {
    says: 'the permissions of the restricted key about pods',
    line: `keys: {restricted: {key: '\${RESTRICTED_API_KEY}', may: [listPods, getPod]}}`,
    given: ({ grants, keys }) => keys.restricted !== undefined && podPermissions(grants.may).length > 0,
    isWritten: ({ keys: { restricted } }) => typeof restricted === 'object' && restricted.may !== undefined,
  },
  'restricted.may-not': {
    says: 'the permissions about pods that the restricted key lacks',
    line: `keys: {restricted: {key: '\${RESTRICTED_API_KEY}', mayNot: [stop]}}`,
    given: ({ grants, keys }) => keys.restricted !== undefined && podPermissions(grants.mayNot).length > 0,
    isWritten: ({ keys: { restricted } }) => typeof restricted === 'object' && restricted.mayNot !== undefined,
  },
  'key.expired': key('expired', 'a key that has expired'),
  'key.stranger': key('stranger', 'a key of another account'),
  receiver: {
    says: 'a way from the target to the receiver of the suite',
    line: "receiver: {listen: '0.0.0.0:8787', url: https://HOST_OF_THE_SUITE}",
    given: ({ receiver }) => receiver !== null,
  },
}

/** Every need of the ledger, by name. `absent:` in a target file takes only these names. */
export function allNeeds(): Readonly<Record<string, Omit<Capability, 'given'>>> {
  return Object.assign({}, general, ...allPlanes().map(({ capabilities }) => capabilities))
}

/** True if the file itself, not a default, claims a need that the target offers. */
export function isWritten(file: TargetFile, need: string): boolean {
  return allNeeds()[need]?.isWritten?.(file) ?? true
}

/** True if the target file gives a need. */
export function isGiven(target: Target, need: string): boolean {
  if (need.startsWith('key.')) return target.keys[need.slice(4) as KeyName] !== undefined
  const own = general[need]
  if (own !== undefined) return own.given?.(target) === true
  return allPlanes().some(({ name, capabilities }) => {
    const section = sectionOf(target, name)
    return section !== null && capabilities[need]?.given(section, target) === true
  })
}

function key(name: KeyName, says: string, line = `keys: {${name}: '\${${name.toUpperCase()}_API_KEY}'}`): General {
  return { says, line }
}
