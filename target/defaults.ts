import type { Budget, Grants, Network } from './types.ts'

/** 16 concurrent scenarios about pods. Each has one to five pods at once, those with generated bodies up to 11. */
export const defaultBudget: Budget = {
  scenarios: 16,
  requestsPerMinute: null,
  jobPrice: null,
  podPricePerHour: null,
  fuzzPods: null,
}

/** A restricted key without grants may only read pods; nothing is known of the other planes. */
export const defaultGrants: Grants = {
  may: ['listPods', 'getPod'],
  mayNot: ['createPod', 'updatePod', 'deletePod', 'start', 'stop', 'restart', 'terminate'],
}

/** The usual certificate authorities, and nothing more. */
export const defaultNetwork: Network = { ca: null, certificate: null, headers: {} }
