/** An operation of any plane. */
export type AnyOperation = Operation | QueueOperation

/** An operation of the pod plane. */
export type Operation =
  | 'listPods'
  | 'createPod'
  | 'getPod'
  | 'updatePod'
  | 'deletePod'
  | 'triggerPodAction'
  | 'listCpuFlavors'

/** Each operation of the queue plane, by the operationId of the API document. */
export type QueueOperation =
  | 'runJob'
  | 'runJobSync'
  | 'getJobStatus'
  | 'streamJob'
  | 'cancelJob'
  | 'retryJob'
  | 'purgeQueue'
  | 'getEndpointHealth'
  | 'callOpenaiRoute'
  | 'listRequests'
