import type { Defect } from '../types.ts'
import { both } from './auth-tools.ts'
import {
  allPlanes,
  answer,
  answers,
  bugs,
  doing,
  fails,
  hasBody,
  html,
  isDoubled,
  isTrailing,
  lb,
  management,
  method,
  path,
  pods,
  queue,
  withRoutes,
} from './odd-tools.ts'

const isEncoded = path(/%2F/i)

const oddOnEvery = allPlanes.flatMap((plane) =>
  bugs(`${plane.area}.odd-requests`, plane, [
    fails(plane, 'doubled-slash', isDoubled, 'A doubled slash'),
    fails(plane, 'trailing-slash', isTrailing, 'A trailing slash'),
    fails(plane, 'head', method('HEAD'), 'HEAD'),
    fails(plane, 'options', method('OPTIONS'), 'OPTIONS'),
    fails(plane, 'get-body', both(method('GET'), hasBody), 'GET with a body'),
  ]),
)

const oddOnRoutes = withRoutes.flatMap((plane) => {
  const [clause, observed] = plane.effect
  return bugs(`${plane.area}.odd-requests`, plane, [
    fails(plane, 'encoded-slash', isEncoded, 'An encoded slash'),
    {
      id: 'encoded-slash-ends-the-path',
      clause,
      says: 'A DELETE ends at an encoded slash, so that another resource is reached.',
      observed,
      change: answers(plane, isEncoded, doing(plane)),
    },
    {
      id: 'doubled-slash-html',
      clause: 'form',
      says: 'The error of a path with a doubled slash is an HTML page.',
      observed: 'text/html',
      change: answers(plane, isDoubled, html),
    },
    {
      id: 'options-acts',
      clause,
      says: 'OPTIONS changes the resource.',
      observed,
      change: answers(plane, method('OPTIONS'), doing(plane)),
    },
    {
      id: 'head-acts',
      clause,
      says: 'HEAD of an action is carried out.',
      observed,
      sample: 'HEAD of an action',
      change: answers(
        plane,
        both(method('HEAD'), plane.area === 'endpoints' ? path(/./) : path(/action|cancel/)),
        doing(plane),
      ),
    },
    {
      id: 'get-body-acts',
      clause,
      says: 'GET with a body changes the resource.',
      observed,
      change: answers(plane, both(method('GET'), hasBody), doing(plane)),
    },
  ]).filter(({ id }) => id !== 'head-acts-management')
})

/** Requests that no client sends on purpose, with a key. */
export const oddRequests: readonly Defect[] = [
  ...oddOnEvery,
  ...oddOnRoutes,
  ...[pods, management].flatMap((plane) =>
    bugs(`${plane.area}.odd-requests`, plane, [
      fails(plane, 'delete-body', both(method('DELETE'), hasBody), 'DELETE with a body'),
    ]),
  ),
  ...bugs('pods.odd-requests', pods, [
    fails(pods, 'long-id', path(/a{255}/), 'A read of a pod with a very long id'),
    {
      id: 'delete-body-ignored',
      clause: 'deleted',
      says: 'DELETE with a body is answered 204, and the pod stays.',
      observed: 'status RUNNING',
      change: answers(pods, both(method('DELETE'), hasBody), answer(204)),
    },
    {
      id: 'put-acts',
      clause: 'method',
      says: 'Another method of an action is answered 200.',
      observed: 'status 200',
      change: answers(pods, both(method('PUT', 'PATCH', 'GET', 'DELETE'), path(/\/action$/)), answer(200)),
    },
  ]),
  ...[queue, management].flatMap((plane) =>
    bugs(`${plane.area}.odd-requests`, plane, [
      {
        ...fails(plane, 'head', both(method('HEAD'), path(/\/(run|endpoints)$/)), 'HEAD of a creation'),
        id: 'head-of-creation-500',
        sample: 'HEAD of a creation',
      },
    ]),
  ),
  ...bugs('lb.odd-requests', lb, [
    {
      id: 'head-sent-twice',
      clause: 'once',
      says: 'HEAD is sent to the worker twice.',
      observed: '2 times',
      change: answers(lb, method('HEAD'), async (request, fetch) => {
        await fetch(request.clone())
        return fetch(request)
      }),
    },
  ]),
]
