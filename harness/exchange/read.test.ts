import { expect, it } from 'vitest'
import { jsonOf } from './exchange.ts'
import { createdIdIn, noListText, resourcesIn } from './read.ts'

it.each([
  ['deep', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, undefined],
  ['as deep as may be', `${'['.repeat(1_000)}${']'.repeat(1_000)}`, expect.any(Array)],
  ['wide', `[${'[],'.repeat(5_000)}"]"]`, expect.any(Array)],
  ['full of brackets in strings', JSON.stringify(['"[{\\'.repeat(5_000)]), ['"[{\\'.repeat(5_000)]],
])('a body that is %s is JSON unless it exhausts the stack of its readers', (_, text, value) => {
  expect(jsonOf(new TextEncoder().encode(text))).toEqual(value)
})

it.each([
  [{ pods: [{}], errors: [] }, 'pods', [{}]],
  [[{}], 'pods', [{}]],
  [[], 'pods', []],
  [{ items: [{}], total: 1 }, 'pods', [{}]],
  [{ items: [], next: null }, 'pods', []],
  [{ items: [{}], errors: [] }, 'pods', null],
  [{ data: { pods: [{}] }, warnings: [] }, 'pods', null],
  [{ warnings: ['old'] }, 'pods', null],
  [['a', 'b'], 'pods', [{ id: 'a' }, { id: 'b' }]],
  [{ items: {} }, 'pods', null],
  ['pods', '', null],
  [{ data: { pods: [{ id: 'a' }] } }, 'data.pods', [{ id: 'a' }]],
  [{ a: { id: 'a' }, b: { id: 'b' } }, '*', [{ id: 'a' }, { id: 'b' }]],
  [{ edges: [{ node: { id: 'a' } }, { node: { id: 'b' } }] }, 'edges.*.node', [{ id: 'a' }, { id: 'b' }]],
  [{ edges: [] }, 'edges.*.node', []],
  [{ edges: null }, 'edges.*.node', null],
])('the resources of the list response %j are at "%s", or in its only list', (value, at, resources) => {
  expect(resourcesIn(value, at)).toEqual(resources)
})

it.each([
  [{ id: 'a', name: 'own' }, 'own', 'a'],
  [{ pod: { id: 'a', name: 'own' }, gpu: { id: 'b', name: 'fast' } }, 'own', 'a'],
  [{ name: 'own', template: { id: 'b', name: 'plain' } }, 'own', null],
  [{ gpu: { id: 'b' } }, undefined, null],
])('the id in the response %j to a creation of %s is %s', (value, name, id) => {
  expect(createdIdIn(value, name)).toBe(id)
})

it.each([
  [503, 'pods', 'the list of pods was answered 503'],
  [200, '', 'the list of pods was answered 200 and is no array; pods.listAt of the target file names its place'],
  [
    200,
    'data',
    'the list of pods was answered 200 and has no array at data; pods.listAt of the target file names its place',
  ],
])('tells why a response %i has no list at "%s"', (status, at, text) => {
  expect(noListText('the list of pods', status, at, 'pods.listAt')).toBe(text)
})
