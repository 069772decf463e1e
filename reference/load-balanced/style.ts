/** The freedoms of load-balanced endpoints; each name says what is decided, and the first choice is the default. */
export const balancedStyleChoices = {
  /** Who answers HEAD and OPTIONS. */
  balancedHead: ['worker', 'platform'],
  balancedOptions: ['worker', 'platform'],
  /** A request while no worker is ready: it waits, or is refused with this status. */
  noWorker: ['wait', 503, 500],
  /** The status if a worker dies during a request. */
  workerDied: [500, 502, 503],
  /** Headers that are added on the way to the worker, and to the client. */
  balancedHeaders: ['none', 'added'],
  /** The header Authorization on its way to the worker. */
  balancedKey: ['passed', 'removed'],
  /** Bodies of more than a million bytes: passed on, or refused with this status. */
  balancedOversize: ['passed', 413],
  /** How a path reaches the worker: as sent, or with characters decoded that need no encoding. */
  balancedPath: ['as-sent', 'normalized'],
} as const
