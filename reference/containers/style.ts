/** The freedoms of containers; each name says what is decided, and the first choice is the default. */
export const containerStyleChoices = {
  /** A request to a port on which nothing listens: a proxy answers, or the connection is closed. */
  portClosed: [502, 404, 'reset'],
  /** The container disk of a pod that is EXITED. */
  exitedDisk: ['kept', 'wiped'],
  /** The settings of a restarted container: those of the pod, or of the start before it. */
  restartedWith: ['current', 'former'],
  /** The status of a pod whose image cannot be pulled: it stays in the status, or ends in it; or the creation is refused. */
  unpullable: ['ERROR', 'STARTING', 'PROVISIONING', 'EXITED', 400, 422],
} as const
