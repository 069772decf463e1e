import { constraints } from '../generated/tables.ts'
import { containerStyleChoices } from './containers/style.ts'
import { endpointStyleChoices } from './endpoints/style.ts'
import { balancedStyleChoices } from './load-balanced/style.ts'
import { queueStyleChoices } from './queue/style.ts'

/**
 * The freedoms that the description leaves, each with the answers a platform may give; the first one is the default.
 * A status number is the status of the answer in that case.
 */
export const styleChoices = {
  // Success
  createStatus: [201, 200, 202],
  updateStatus: [200, 202],
  deleteStatus: [204, 200, 202],
  /** The body of a DELETE whose status is not 204. */
  deleteBody: ['none', 'empty-object', 'pod'],

  // Visible to a caller
  /** A pod of another account. */
  hidden: [404, 403],
  /** GET of a terminated pod; the while is `life.terminatedShownMs`. */
  terminated: ['gone', 'shown', 'shown-for-a-while'],
  terminatedListed: [false, true],
  /** The actions that a terminated pod publishes. */
  terminatedActions: ['none', 'terminate'],
  /** An action on a terminated pod; auto is 404 if it is gone, 409 if it is shown. */
  terminatedAction: ['auto', 404, 409],
  /** PATCH of a terminated pod. */
  terminatedChange: [404, 409],
  /** DELETE of a terminated pod. */
  terminatedDelete: [404, 204, 409],
  listOrder: ['oldest-first', 'newest-first'],
  listShape: ['object', 'array'],
  catalogShape: ['object', 'array'],
  unknownQuery: ['ignore', 400, 422],

  // Life
  /** The status right after start; as-before is EXITED or ERROR, for `life.startDelayMs`. */
  startStatus: ['STARTING', 'PROVISIONING', 'RUNNING', 'as-before'],
  /** The status right after restart, for `life.restartMs` where it is STARTING. */
  restartStatus: ['RUNNING', 'STARTING'],
  /** When a RUNNING pod restarts: with the response, or `life.restartMs` after it. */
  restartApplied: ['at-once', 'later'],
  startedAtSet: ['running', 'starting'],
  startedAtOnRestart: ['moves', 'kept'],
  startedAtWhenExited: ['kept', 'null'],
  /** Changes that restart a RUNNING container: of image, args, env or ports, of mounts too, or of any field. */
  patchRestarts: [false, 'container', 'mounts-too', 'any-change'],

  // Shape of a pod
  dateTimes: ['milliseconds', 'seconds', 'microseconds', 'offset', 'elsewhere', 'lower-case'],
  extraFields: [false, true],
  /** Variables beside those that were set. */
  extraEnv: [false, true],
  memberOrder: ['declared', 'reversed'],
  actionsOrder: ['table', 'reversed'],
  json: ['compact', 'indented'],
  runtimeParts: ['full', 'partial', 'empty'],
  publicPorts: ['assigned', 'null'],
  provisioningDataCenter: ['assigned', 'null'],
  exitedDataCenter: ['kept', 'null'],
  costBeforeRunning: ['price', 'zero'],
  costInError: ['price', 'zero'],
  networkAddress: ['full', 'enabled-only'],
  networkAssigned: ['at-once', 'running'],

  // Authentication
  wwwAuthenticate: [true, false],
  schemeCase: ['any', 'exact'],

  // Locks
  lockedRefusal: [409, 403, 423],
  /** The actions that a locked pod publishes: all, or only those that the lock permits. */
  lockedActions: ['all', 'without'],
  lockedRestart: ['refuse', 'allow'],
  lockedTerminate: ['allow', 'refuse'],

  // Errors
  errorsList: ['on-422', 'always', 'never'],
  texts: ['plain', 'other'],
  mediaTypeForm: ['bare', 'charset', 'mixed-case'],
  /** A body of another content type: read as JSON, or refused. */
  mediaType: ['read', 400, 415, 422],
  emptyBody: [400, 422],
  notUtf8: [400, 422],
  notObject: constraints.notObject,
  oversize: [413, 400, 422],
  /** True if a body that fails validation is refused before an action that the status does not permit. */
  validationFirst: [true, false],
  twoNetworks: constraints.twoNetworks,
  patchNull: [422, 400, 'omitted'],
  patchPersistentSize: ['apply', 400, 422],
  cpuPersistent: constraints.cpuPersistent,
  unknownVolume: [400, 404, 422],
  volumeElsewhere: [400, 422, 'volume-wins'],
  unknownDataCenter: [400, 404, 422],
  gpuAndCpu: [400, 422],
  neitherGpuNorCpu: [400, 422, 'default-gpu'],
  unknownGpu: [400, 404, 422],
  unknownFlavor: [400, 404, 422],
  vcpuPower: [422, 400],
  vcpuOffered: [400, 422],
  cpuMemory: ['optional', 'refused-400', 'refused-422', 'required'],
  portForm: constraints.portForm,
  portRange: [422, 400],

  // Rate limits
  rateNames: ['string', 'token'],
  rateSpacing: ['space', 'none', 'wide'],
  rateParameters: ['as-described', 'reversed'],
  rateWindows: ['shortest-first', 'longest-first'],
  /** A further parameter on each item. */
  rateExtra: [false, true],
  rateHeadersOnErrors: [true, false],
  /** The meaning of t: the time until all requests of the window are given back, or until one more is. */
  rateReset: ['full', 'next'],
  /**
   * The meaning of Retry-After: the longest or the shortest wait of the windows that are used up, or the time until the
   * longest of them is as if nothing had been taken.
   */
  retryAfter: ['longest', 'shortest', 'full'],

  ...containerStyleChoices,
  ...balancedStyleChoices,
  ...endpointStyleChoices,
  ...queueStyleChoices,
} as const

type Choices = typeof styleChoices

/** One answer for each freedom. */
export type Style = { readonly [K in keyof Choices]: Choices[K][number] }

export const defaultStyle: Style = Object.fromEntries(
  Object.entries(styleChoices).map(([name, choices]) => [name, choices[0]]),
) as Style
