// Requests with openapi-fetch and the types that openapi-typescript generated into ./api.ts with its usual options. Its argument is
// the address of the API.
import { equal } from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { paths } from './api.js'

const headers = { authorization: 'Bearer plumbline-example-full' }
const client = createClient<paths>({ baseUrl: process.argv[2] ?? '', headers })

const pod = { name: 'typed', image: 'alpine', gpu: { id: 'gpu-a' } }
const created = await client.POST('/v2/pods', { body: pod })
equal(created.data?.cloud, 'SECURE')
const path = { id: created.data?.id ?? '' }
const renamed = await client.PATCH('/v2/pods/{id}', { params: { path }, body: { name: 'renamed' } })
equal(renamed.data?.name, 'renamed')
equal((await client.DELETE('/v2/pods/{id}', { params: { path } })).response.status, 204)

const answer = await client.POST('/v2/{endpoint_id}/runsync', {
  params: { path: { endpoint_id: 'normal' } },
  body: { input: { text: 'hello', parts: [1, { deep: true }] }, policy: { ttl: 60_000 } },
})
equal(JSON.stringify(answer.data?.output), '{"text":"hello","parts":[1,{"deep":true}]}')

const routes = createClient<paths>({ baseUrl: `${process.argv[2]}/lb/normal`, headers })
const echoed = await routes.POST('/{route}', {
  params: { path: { route: 'plumbline/echo' } },
  body: { text: 'hello' },
  pathSerializer: (path) => path.replace('{route}', 'plumbline/echo'),
})
equal(echoed.response.status, 200)
