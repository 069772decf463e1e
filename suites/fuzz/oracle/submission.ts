import { tables } from '../../../generated/tables.ts'
import type { ValidationFailure, Validator } from '../../../generated/validators.ts'
import { type Members, membersOf } from '../../harness/read.ts'
import { schemaNamed } from '../schema.ts'
import { type Allowed, refused } from './types.ts'

const heading = 'Job submission body'

/**
 * What a submission may be answered: 200, or 400 for an input of invalid format (headings Job submission body, Errors).
 * There is no 422 on this plane. What the table of fields leaves undecided may be either.
 */
export function ofSubmission(value: unknown, isValid: Validator): Allowed[] {
  const members = membersOf(value)
  if (members === null) return [refused([400], 'the body is no object')]
  const without = withoutNulls(members)
  if (!isValid(without)) {
    const refusal = refused([400], 'a field is not as stated', heading)
    const freedoms = (isValid.errors ?? []).map((failure) => freedomOf(failure, without))
    return freedoms.includes(null) ? [refusal] : [refusal, ...freedoms.filter((reason) => reason !== null).map(taken)]
  }
  const undecided = undecidedIn(members, without)
  return [taken('the body is valid'), ...(undecided === null ? [] : [refused([400], undecided, heading)])]
}

/** Why a body with this failure may be taken all the same; null where it may not. */
function freedomOf({ keyword, instancePath }: ValidationFailure, { webhook }: Members): string | null {
  if (instancePath.startsWith('/policy/') && (keyword === 'minimum' || keyword === 'maximum')) {
    return 'a number out of bounds can be brought to the nearest one'
  }
  const isAddress = instancePath === '/webhook' && keyword === 'format' && isWebAddress(String(webhook))
  return isAddress && URL.canParse(String(webhook)) ? 'parsers of URLs differ in what they take' : null
}

/** Optional fields that are null can be taken as left out. */
function withoutNulls(members: Members): Members {
  const entries = Object.entries(members).map(([name, value]) => {
    const inner = name === 'policy' || name === 's3Config' ? membersOf(value) : null
    return [name, inner === null ? value : Object.fromEntries(notNull(inner))] as const
  })
  return Object.fromEntries(entries.filter(([name, value]) => name === 'input' || value !== null))
}

function undecidedIn(members: Members, without: Members): string | null {
  if (JSON.stringify(members) !== JSON.stringify(without)) return 'null for an optional field is not spoken of'
  const { webhook, policy, s3Config } = without
  if (typeof webhook === 'string' && !isWebAddress(webhook)) return 'the webhook is no http(s) URL'
  const { executionTimeout, ttl } = membersOf(policy) ?? {}
  if (typeof executionTimeout === 'number' && executionTimeout > Number(ttl ?? tables.bounds.ttlMs.default)) {
    return 'ttl has to cover the execution'
  }
  if (s3Config !== undefined && !isWhole(membersOf(s3Config) ?? {})) return 'what identifies a bucket is not spoken of'
  const isUnknown = [
    unknownIn(members, 'JobSubmission'),
    unknownIn(membersOf(policy), 'JobPolicy'),
    unknownIn(membersOf(s3Config), 'S3Config'),
  ].some(Boolean)
  return isUnknown ? 'further fields are not spoken of' : null
}

/** Whether each field of a bucket says something, the address a web address. */
function isWhole(s3Config: Members): boolean {
  const { properties = {} } = schemaNamed('S3Config')
  return (
    Object.keys(properties).every((name) => typeof s3Config[name] === 'string' && s3Config[name] !== '') &&
    isWebAddress(String(s3Config.endpointUrl))
  )
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[\w.-]+/.test(text)
}

function unknownIn(members: Members | null, schema: string): boolean {
  const { properties = {} } = schemaNamed(schema)
  return Object.keys(members ?? {}).some((name) => !(name in properties))
}

function notNull(members: Members): [string, unknown][] {
  return Object.entries(members).filter(([, value]) => value !== null)
}

function taken(reason: string): Allowed {
  return { answers: [200], reason, source: heading, after: { kind: 'made' } }
}
