import type { ProbePlane } from '../../../target/types.ts'
import { always, notInDocument, type Plane, perOperation } from '../plane.ts'
import { probeOf, probePaths, writeProbe } from './section.ts'

/** The requests that the probe answers (`suites/probe/probe.py`). */
const operations = {
  reportProbe: notInDocument('pods', { method: 'GET', path: probePaths.reportProbe, success: [200] }),
  readProbeFile: notInDocument('pods', { method: 'GET', path: probePaths.readProbeFile, success: [200] }),
  writeProbeFile: notInDocument('pods', { method: 'PUT', path: probePaths.writeProbeFile, success: [200] }),
  removeProbeFile: notInDocument('pods', { method: 'DELETE', path: probePaths.removeProbeFile, success: [200] }),
  callFromProbe: notInDocument('pods', { method: 'POST', path: probePaths.callFromProbe, success: [200] }),
}

/** The probe in the container of each pod of its image, at an address of its own. */
export const probe: Plane<ProbePlane> = {
  name: 'probe',
  title: 'the probe in the containers of pods',
  operations,
  areas: [],
  accept: 'application/json',
  capabilities: {
    probe: always(
      'an image that reports what happens in its container (suites/probe)',
      'probe: {image: IMAGE, port: 8000/http}',
    ),
  },
  pacing: perOperation(operations),
  creates: null,
  probes: [],
  // A program that is starting refuses connections.
  mayNotRespond: true,
  load: null,
  probeKeys: 'probe.image, probe.port and probe.url',
  read: probeOf,
  write: writeProbe,
}
