import { beforeAll, describe, expect, test } from 'vitest'
import { tables } from '../../generated/tables.ts'
import { type Validator, validators } from '../../generated/validators.ts'
import { caseText } from '../../suites/fuzz/cases.ts'
import { ofAction } from '../../suites/fuzz/oracle/action.ts'
import { ofCreation } from '../../suites/fuzz/oracle/creation.ts'
import { ofPatch } from '../../suites/fuzz/oracle/patch.ts'
import { readBody } from '../../suites/fuzz/oracle/reading.ts'
import { ofSubmission } from '../../suites/fuzz/oracle/submission.ts'
import { type Allowed, createOracle, isIn, type Oracle, type OracleParts } from '../../suites/fuzz/oracle.ts'
import { type Observation, observe } from './observe.ts'

let seen: readonly Observation[]

beforeAll(async () => {
  seen = await observe(300)
})

test('whatever the reference answers is within the oracle, and the oracle always says something', () => {
  expect(seen.length).toBeGreaterThan(3_000)
  expect(outside(createOracle())).toEqual([])
  expect(seen.filter(({ situation, what }) => createOracle()(situation, what.bytes).length === 0)).toEqual([])
})

describe('an oracle that is wrong does not agree with the reference', () => {
  test.each<[says: string, changed: Partial<OracleParts>]>([
    [
      'EXITED permits stop',
      { tables: { ...tables, actions: { ...tables.actions, EXITED: ['start', 'stop', 'terminate'] } } },
    ],
    [
      'RUNNING does not permit restart',
      { tables: { ...tables, actions: { ...tables.actions, RUNNING: ['stop', 'terminate'] } } },
    ],
    [
      'terminate answers 200',
      {
        tables: {
          ...tables,
          transitions: { ...tables.transitions, terminate: { ...tables.transitions.terminate, answer: 200 } },
        },
      },
    ],
    [
      'an action body may have more members',
      { validators: { ...validators, PodActionRequest: leaving('additionalProperties') } },
    ],
    ['an action may be any text', { validators: { ...validators, PodActionRequest: leaving('enum') } }],
    [
      'a mount needs no path',
      { validators: { ...validators, MountsRequest: leaving('required', validators.MountsRequest) } },
    ],
    [
      'a mount may have more members',
      { validators: { ...validators, MountsRequest: leaving('additionalProperties', validators.MountsRequest) } },
    ],
    [
      'a size has no least value',
      { validators: { ...validators, MountsRequest: leaving('minimum', validators.MountsRequest) } },
    ],
    [
      'a submission needs no input',
      { validators: { ...validators, JobSubmission: leaving('required', validators.JobSubmission) } },
    ],
    ['a pod needs no name', { validators: { ...validators, PodCreate: leaving('required', validators.PodCreate) } }],
    [
      'a body that is no JSON is 422',
      reading(({ values, refusals }) => ({ values, refusals: refusals.map(only(400, 422)) })),
    ],
    [
      'a body with a byte order mark is no JSON',
      reading((read, bytes) => (bytes[0] === 0xef ? { values: [], refusals: read.refusals } : read)),
    ],
    [
      'of two members of a name the first counts',
      reading(({ values, refusals }) => ({ values: values.slice(-1), refusals: values.length > 1 ? [] : refusals })),
    ],
    [
      'deep bodies are taken',
      reading(({ values, refusals }) => ({ values, refusals: refusals.filter(({ answers }) => answers !== '4xx') })),
    ],
    [
      'an empty body is taken for an object',
      reading((read, bytes) => (bytes.length === 0 ? { values: [{}], refusals: [] } : read)),
    ],
    ['conflicts are 422', { ofAction: (...args) => ofAction(...args).map(only(409, 422)) }],
    ['a body that is no object is 400', { ofAction: (...args) => ofAction(...args).map(only('400,422', 400)) }],
    ['an accepted action is 202', { ofAction: (...args) => ofAction(...args).map(only(200, 202)) }],
    [
      'an empty list of network mounts is 422',
      { ofPatch: (...args) => ofPatch(...args).map(because('is empty', 422)) },
    ],
    ['both kinds of mount are 422', { ofCreation: (...args) => ofCreation(...args).map(because('both kinds', 422)) }],
    ['another volume is 409', { ofPatch: (...args) => ofPatch(...args).map(because('the volume of', 409)) }],
    [
      'a kind that is not there is 422',
      { ofPatch: (...args) => ofPatch(...args).map(because('created without', 422)) },
    ],
    ['null is never left out nor 422', { ofPatch: (...args) => ofPatch(...args).map(because('null', 400)) }],
    ['a wrong mount is 400', { ofPatch: (...args) => ofPatch(...args).map(only(422, 400)) }],
    ['a PATCH is answered 204', { ofPatch: (...args) => ofPatch(...args).map(only('2xx', 204)) }],
    [
      'mounts of a pod are not looked at',
      { ofPatch: (value, pod, isMounts) => ofPatch(value, { ...pod, mounts: {} }, isMounts) },
    ],
    [
      'a CPU pod is taken for a GPU pod',
      {
        ofPatch: (value, pod, isMounts) =>
          ofPatch(value, { ...pod, kind: 'gpu', mounts: { persistent: { size: 10, path: '/workspace' } } }, isMounts),
      },
    ],
    ['a wrong submission is 422', { ofSubmission: (...args) => ofSubmission(...args).map(only(400, 422)) }],
    ['a submission is answered 201', { ofSubmission: (...args) => ofSubmission(...args).map(only(200, 201)) }],
    ['further fields of a submission are 400', { ofSubmission: (...args) => sure(ofSubmission(...args)) }],
    [
      'a creation is never refused for what is on offer',
      { ofCreation: (...args) => ofCreation(...args).filter(({ reason }) => !reason.includes('on offer')) },
    ],
    [
      'both kinds of hardware are taken',
      { ofCreation: (...args) => ofCreation(...args).map(because('gpu or cpu', 201)) },
    ],
  ])('%s', (_, changed) => {
    expect(outside(createOracle(changed)).length).toBeGreaterThan(0)
  })
})

function outside(oracle: Oracle): string[] {
  return seen.flatMap(({ situation, what, status }) => {
    const allowed = oracle(situation, what.bytes)
    if (allowed.some(({ answers }) => isIn(status, answers))) return []
    const body = Buffer.from(what.bytes).toString().slice(0, 200)
    return [`${JSON.stringify(situation)}: ${status} to ${caseText(what)}: ${body}`]
  })
}

/** A validator that does not know a keyword. */
function leaving(keyword: string, validator: Validator = validators.PodActionRequest): Validator {
  const lenient: Validator = (value) => {
    if (validator(value)) return true
    lenient.errors = (validator.errors ?? []).filter((failure) => failure.keyword !== keyword)
    return lenient.errors.length === 0
  }
  return lenient
}

function reading(
  change: (read: ReturnType<typeof readBody>, bytes: Uint8Array) => ReturnType<typeof readBody>,
): Partial<OracleParts> {
  return { readBody: (bytes) => change(readBody(bytes), bytes) }
}

/** Exchanges one class of answers for another. */
function only(was: number | string, is: number): (allowed: Allowed) => Allowed {
  return (allowed) => (String(allowed.answers) === String(was) ? { ...allowed, answers: [is] } : allowed)
}

function because(words: string, is: number): (allowed: Allowed) => Allowed {
  return (allowed) => (allowed.reason.includes(words) ? { ...allowed, answers: [is] } : allowed)
}

function sure(allowed: readonly Allowed[]): Allowed[] {
  const refusals = allowed.filter(({ answers }) => String(answers) === '400')
  return refusals.length === 0 ? [...allowed] : refusals
}
