/** The freedoms of endpoint management; each name says what is decided, and the first choice is the default. */
export const endpointStyleChoices = {
  endpointCreated: [200, 201],
  endpointDeleted: [204, 200],
  endpointList: ['array', 'object'],
  /** Least is id and name. */
  endpointFields: ['full', 'least'],
  /** Names as they were sent, or with something added. */
  endpointNames: ['as-sent', 'suffixed'],
  endpointErrors: ['plain', 'problem'],
  /** A body with a wrong type or number. */
  endpointInvalid: [400, 422],
  /** A template or a GPU type that does not exist. */
  unknownTemplate: [400, 404, 422],
  /** Workers beyond the quota of the account. */
  workersQuota: [400, 403, 409, 422, 500],
  /** The unit of idleTimeout. */
  idleUnit: ['seconds', 'milliseconds'],
} as const
