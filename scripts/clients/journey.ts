// The journey with the client that @hey-api/openapi-ts generated into ./client. It knows the address from the document.
import { deepEqual, equal } from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { client } from './client/client.gen.js'
import {
  createEndpoint,
  createPod,
  deleteEndpoint,
  deletePod,
  getEndpoint,
  getJobStatus,
  getPod,
  type PodCreate,
  runJob,
  streamJob,
  triggerPodAction,
} from './client/index.js'

client.setConfig({ auth: 'plumbline-example-full' })
const strict = { throwOnError: true } as const

await usePod()
await useEndpoint('normal')
const body = { templateId: 'tpl-worker', name: 'typescript', gpuTypeIds: ['gpu-a'], workersMin: 0, workersMax: 1 }
const { id } = (await createEndpoint({ ...strict, body })).data
await useEndpoint(id)
equal((await deleteEndpoint({ ...strict, path: { id } })).response.status, 204)
equal((await getEndpoint({ path: { id } })).response?.status, 404)

async function usePod(): Promise<void> {
  const body: PodCreate = { name: 'typescript', image: 'alpine', cpu: { id: 'cpu3c', vcpuCount: 2 } }
  const path = { id: (await createPod({ ...strict, body })).data.id }
  const status = async () => (await getPod({ ...strict, path })).data.status
  await until(status, 'RUNNING')
  await triggerPodAction({ ...strict, path, body: { action: 'stop' } })
  await until(status, 'EXITED')
  equal((await deletePod({ ...strict, path })).response.status, 204)
}

async function useEndpoint(endpoint_id: string): Promise<void> {
  const input = { plumbline: { v: 1, steps: [{ emit: 'first' }, { emit: 'second' }] } }
  const job = (await runJob({ ...strict, path: { endpoint_id }, body: { input } })).data
  const path = { endpoint_id, job_id: job.id }
  await until(async () => (await getJobStatus({ ...strict, path })).data.status, 'COMPLETED')
  const { stream } = (await streamJob({ ...strict, path })).data
  deepEqual(
    stream.map(({ output }) => output),
    ['first', 'second'],
  )
}

async function until(read: () => Promise<string>, wanted: string): Promise<void> {
  let seen = ''
  for (let tries = 0; tries < 100 && seen !== wanted; tries++) {
    if (tries > 0) await pause(200)
    seen = await read()
  }
  equal(seen, wanted)
}
