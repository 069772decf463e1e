import type { RuleId } from '../generated/rules.ts'

/**
 * Scenarios that together meet every operation, every kind of pod and every family of answers: what an invariant is
 * run with where its defect names no tour of its own, and what malformed responses are tried on.
 */
const podTour: readonly RuleId[] = [
  'auth.pods.forbidden',
  'auth.pods.hidden',
  'auth.pods.missing',
  'pods.action.error.start',
  'pods.action.exited.start',
  'pods.action.exited.stop',
  'pods.action.provisioning.stop',
  'pods.action.running.restart',
  'pods.action.running.terminate',
  'pods.action.stop-frees-compute',
  'pods.action.terminated.any',
  'pods.action.unknown-pod',
  'pods.action-body.extra',
  'pods.action-body.not-json',
  'pods.patch.answer',
  'pods.patch.omitted',
  'pods.patch.persistent-path',
]

/** The same for the queue plane: jobs that wait, run, end in either way and are cancelled, each looked at again. */
const queueTour: readonly RuleId[] = [
  'queue.cancel.queued',
  'queue.run.accepted',
  'queue.runsync.completed',
  'queue.status.failed',
  'queue.status.in-progress',
  'queue.status.shape',
  'queue.status.unknown',
]

/** The same for endpoint management. The last one makes requests also where nothing can be deleted. */
const managementTour: readonly RuleId[] = [
  'auth.management.hidden',
  'auth.management.missing',
  'endpoints.create',
  'version.paths',
]

/** The same for load-balanced endpoints. */
const lbTour: readonly RuleId[] = ['auth.lb.missing', 'lb.direct-response', 'lb.methods']

/** The tour of each plane, by its name. */
export const tours: Readonly<Record<string, readonly RuleId[]>> = {
  pods: podTour,
  queue: queueTour,
  lb: lbTour,
  management: managementTour,
}

/** Scenarios that wait longer than 30 s, only for invariants that no shorter one exercises on every target. */
export const longTours: Partial<Record<string, readonly RuleId[]>> = {
  'pods.lifecycle.order': ['pods.status.running-lasts'],
}
