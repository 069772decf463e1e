import type { StoredPod } from '../../reference/index.ts'
import { part, refusing } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, plane, reads, styled } from './tools.ts'

/** The refusals of a creation and their statuses; the description states only limits. */
export const creation = [
  latitude('creation-refuses-400', 'Whatever is wrong with a creation is 400.', {
    style: { vcpuPower: 400, cpuMemory: 'refused-400', portForm: 400, portRange: 400 },
    readings: reads('pods.create.cpu-required', null, ['no memory']),
  }),
  styled('creation-refuses-404', 'A creation that names what does not exist is 404.', {
    unknownVolume: 404,
    unknownDataCenter: 404,
    unknownGpu: 404,
    unknownFlavor: 404,
  }),
  latitude('creation-refuses-422', 'Whatever is wrong with a creation is 422.', {
    style: {
      unknownVolume: 422,
      unknownDataCenter: 422,
      unknownGpu: 422,
      unknownFlavor: 422,
      volumeElsewhere: 422,
      gpuAndCpu: 422,
      neitherGpuNorCpu: 422,
      vcpuOffered: 422,
      cpuMemory: 'refused-422',
    },
    readings: {
      ...reads('pods.create.cpu-required', null, ['no memory']),
      ...reads('pods.create.neither', '422', ['neither']),
      ...reads('pods.create.volume-elsewhere', '422', ['elsewhere']),
    },
  }),
  latitude(
    'creation-fills-in',
    'A volume decides on the data center, and a pod that asks for no hardware gets a GPU.',
    {
      style: { volumeElsewhere: 'volume-wins', neitherGpuNorCpu: 'default-gpu' },
      readings: {
        ...reads('pods.create.neither', 'accepted', ['neither']),
        ...reads('pods.create.volume-elsewhere', 'accepted', ['elsewhere']),
      },
    },
  ),
  latitude('cpu-memory-required', 'memory must be sent for a CPU pod, as the target file says.', {
    style: { cpuMemory: 'required' },
    file: plane({ cpu: { id: 'cpu3c', vcpuCount: 2, memory: 4 } }),
    readings: reads('pods.create.cpu-required', '422', ['no memory']),
  }),
  latitude('cpu-shown-as-asked', 'The CPU of a pod is shown as its creation named it, and memory must be named.', {
    readings: reads('pods.create.cpu-required', '422', ['no memory']),
    style: { cpuMemory: 'required' },
    change: part('buildPod', (next, body) => {
      const pod = next()
      return body.cpu === undefined ? pod : { ...pod, hardware: { cpu: body.cpu } as StoredPod['hardware'] }
    }),
  }),
  latitude(
    'deep-creations-fail',
    'A creation with a member that is nested a hundred levels deep fails with 500, and leaves no pod.',
    {
      change: refusing(
        'createPod',
        (body) => JSON.stringify(body).includes(`${'['.repeat(100)}0`) && [500, 'too much recursion'],
      ),
      readings: reads('pods.create.failed-leaves-none', 'nested', ['answered 5xx']),
    },
  ),
] as const satisfies readonly Latitude[]
