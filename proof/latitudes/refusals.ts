import { plane, reads, styled } from './tools.ts'

const nullMounts = ['persistent', 'network', 'cpu network', 'none'].flatMap((pod) =>
  ['mounts', 'persistent', 'network'].map((member) => `${member} of ${pod}`),
)

/** Who is refused with what, where the description leaves more than one answer. */
export const refusals = [
  styled(
    'no-challenge',
    'A 401 has no WWW-Authenticate.',
    { wwwAuthenticate: false },
    {
      verdicts: { 'auth.challenge': 'advice' },
    },
  ),
  styled(
    'scheme-case-exact',
    'Only Bearer with a capital letter is accepted.',
    { schemeCase: 'exact' },
    {
      verdicts: { 'auth.scheme-case': 'advice' },
    },
  ),

  styled('locked-403', 'A locked pod refuses with 403.', { lockedRefusal: 403 }),
  styled('locked-423', 'A locked pod refuses with 423.', { lockedRefusal: 423 }),
  styled('locked-hides-actions', 'A locked pod does not publish what the lock refuses.', { lockedActions: 'without' }),
  styled('locked-can-restart', 'A locked pod can be restarted.', { lockedRestart: 'allow' }),
  styled('locked-stays', 'A locked pod cannot be terminated either.', { lockedTerminate: 'refuse' }),

  styled('errors-always', 'Every error lists errors.', { errorsList: 'always' }),
  styled(
    'errors-never',
    'No error lists errors.',
    { errorsList: 'never' },
    {
      verdicts: { 'pods.action-body.errors-list': 'advice' },
    },
  ),
  styled('other-texts', 'Titles and details are worded in another way.', { texts: 'other' }),
  styled('media-type-charset', 'Content types carry a charset.', { mediaTypeForm: 'charset' }),
  styled('media-type-mixed-case', 'Content types are written with capital letters.', { mediaTypeForm: 'mixed-case' }),

  styled('media-type-refused-400', 'A body of another content type is 400.', { mediaType: 400 }),
  styled('media-type-refused-415', 'A body of another content type is 415.', { mediaType: 415 }),
  styled('media-type-refused-422', 'A body of another content type is 422.', { mediaType: 422 }),
  styled('empty-body-422', 'A request without the body that it needs is 422.', { emptyBody: 422 }),
  styled('not-utf8-422', 'A body that is not UTF-8 is 422.', { notUtf8: 422 }),
  styled(
    'not-object-400',
    'A body that is no object is 400.',
    { notObject: 400 },
    {
      verdicts: { 'pods.action-body.not-object-422': 'advice' },
    },
  ),
  styled('oversize-400', 'A body that is too large is 400.', { oversize: 400 }),
  styled('oversize-422', 'A body that is too large is 422.', { oversize: 422 }),
  styled('status-before-validation', 'Whether the status permits an action is looked at before the body is.', {
    validationFirst: false,
  }),

  styled(
    'two-networks-400',
    'Two network mounts are 400.',
    { twoNetworks: 400 },
    {
      readings: reads('pods.patch.two-networks', '400', ['two networks']),
    },
  ),
  styled(
    'null-mounts-400',
    'null for mounts or a kind of mount is 400.',
    { patchNull: 400 },
    {
      readings: reads('pods.patch.null', '400', nullMounts),
    },
  ),
  styled(
    'null-mounts-omitted',
    'null for mounts or a kind of mount is taken as left out.',
    { patchNull: 'omitted' },
    {
      readings: reads('pods.patch.null', 'accepted', nullMounts),
    },
  ),
  styled(
    'size-refused-400',
    'The size of a persistent mount cannot be changed: 400.',
    { patchPersistentSize: 400 },
    {
      readings: reads('pods.patch.persistent-size', '400', ['another size']),
    },
  ),
  styled(
    'size-refused-422',
    'The size of a persistent mount cannot be changed: 422.',
    { patchPersistentSize: 422 },
    {
      readings: reads('pods.patch.persistent-size', '422', ['another size']),
    },
  ),
  styled('cpu-persistent-422', 'A persistent mount on a CPU pod is 422.', { cpuPersistent: 422 }),

  styled('unknown-volume-404', 'A volume that does not exist is 404.', { unknownVolume: 404 }),
  styled('unknown-volume-422', 'A volume that does not exist is 422.', { unknownVolume: 422 }),
  styled('volume-elsewhere-422', 'A volume in another data center than those asked for is 422.', {
    volumeElsewhere: 422,
  }),
  styled('volume-decides', 'A volume decides on the data center, whatever was asked for.', {
    volumeElsewhere: 'volume-wins',
  }),
  styled('unknown-data-center-404', 'A data center that does not exist is 404.', { unknownDataCenter: 404 }),
  styled('unknown-data-center-422', 'A data center that does not exist is 422.', { unknownDataCenter: 422 }),
  styled('gpu-and-cpu-422', 'A pod that asks for gpu and cpu is 422.', { gpuAndCpu: 422 }),
  styled('no-hardware-422', 'A pod that asks for neither gpu nor cpu is 422.', { neitherGpuNorCpu: 422 }),
  styled('no-hardware-gets-gpu', 'A pod that asks for neither gpu nor cpu gets a GPU.', {
    neitherGpuNorCpu: 'default-gpu',
  }),
  styled('unknown-gpu-404', 'A GPU type that does not exist is 404.', { unknownGpu: 404 }),
  styled('unknown-gpu-422', 'A GPU type that does not exist is 422.', { unknownGpu: 422 }),
  styled('unknown-flavor-404', 'A CPU flavor that does not exist is 404.', { unknownFlavor: 404 }),
  styled('unknown-flavor-422', 'A CPU flavor that does not exist is 422.', { unknownFlavor: 422 }),
  styled('vcpu-power-400', 'A vcpuCount that is no power of two is 400.', { vcpuPower: 400 }),
  styled('vcpu-offered-422', 'A vcpuCount that the flavor does not offer is 422.', { vcpuOffered: 422 }),
  styled('cpu-memory-refused-400', 'memory follows from the flavor; sent, it is 400.', { cpuMemory: 'refused-400' }),
  styled('cpu-memory-refused-422', 'memory follows from the flavor; sent, it is 422.', { cpuMemory: 'refused-422' }),
  styled(
    'cpu-memory-required',
    'memory must be sent for a CPU pod, as the target file says.',
    {
      cpuMemory: 'required',
    },
    {
      file: plane({ cpu: { id: 'cpu3c', vcpuCount: 2, memory: 4 } }),
    },
  ),
  styled('port-form-400', 'A port that is not written port/protocol is 400.', { portForm: 400 }),
  styled('port-range-400', 'A port beyond 65535 is 400.', { portRange: 400 }),
] as const
