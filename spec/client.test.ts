import createClient from 'openapi-fetch'
import { expect, test } from 'vitest'
import type { paths } from '../generated/api.ts'
import { defaultKeys } from '../reference/auth/accounts.ts'
import { createEmbedded } from '../reference/embedded.ts'

// The document as a client author meets it: a client that other people's generator makes of it works on the reference.

function connect() {
  const { fetch, control } = createEmbedded()
  const client = createClient<paths>({
    baseUrl: 'https://api.test',
    fetch,
    headers: { Authorization: `Bearer ${defaultKeys.full}` },
  })
  return { client, control }
}

test('a generated client creates, reads, stops and deletes a pod', async () => {
  const { client, control } = connect()
  const created = await client.POST('/v2/pods', {
    body: { name: 'typed', image: 'docker.io/library/nginx', gpu: { id: 'gpu-a', count: 1 } },
  })
  expect(created.response.status).toBe(201)
  const id = created.data?.id ?? ''
  const path = { params: { path: { id } } }
  for (let state = await control.state(); state.nextMs !== null; state = await control.advance(60_000));
  const running = await client.GET('/v2/pods/{id}', path)
  expect(running.data?.status).toBe('RUNNING')
  const stopped = await client.POST('/v2/pods/{id}/action', { ...path, body: { action: 'stop' } })
  expect(stopped.data).toMatchObject({ id, status: 'EXITED', cost: 0, runtime: null })
  const listed = await client.GET('/v2/pods')
  expect(listed.data?.pods.map((pod) => pod.id)).toEqual([id])
  const deleted = await client.DELETE('/v2/pods/{id}', path)
  expect([deleted.response.status, deleted.error]).toEqual([204, undefined])
})

test('its errors are the documented problem', async () => {
  const { client } = connect()
  const { error, response } = await client.GET('/v2/pods/{id}', { params: { path: { id: 'pod-none' } } })
  expect(response.status).toBe(404)
  expect(error).toMatchObject({ status: 404, title: expect.any(String), detail: expect.any(String) })
})

test('its types leave out what has a default, and take any input', async () => {
  const { client } = connect()
  const pod = { name: 'typed', image: 'docker.io/library/nginx', gpu: { id: 'gpu-a' } }
  const created = await client.POST('/v2/pods', { body: pod })
  expect(created.data).toMatchObject({ cloud: 'SECURE', gpu: { count: 1 } })
  const accepted = await client.POST('/v2/{endpoint_id}/run', {
    params: { path: { endpoint_id: 'normal' } },
    body: { input: { text: 'hello', parts: [1, { deep: true }] }, policy: { ttl: 60_000 } },
  })
  expect(accepted.data).toMatchObject({ status: 'IN_QUEUE' })
})
