import type { RuleId } from '../../generated/rules.ts'
import { is, onResponse, requestOf } from '../defects/tools.ts'
import type { Latitude } from '../types.ts'
import { latitude, listing, plane, timed, verdict } from './tools.ts'

/** Rules that need a list with what the run has created. */
const ofLists: readonly RuleId[] = [
  'pods.list.distinct',
  'pods.list.full-shape',
  'auth.pods.expired',
  'auth.pods.forbidden',
  'auth.pods.hidden',
  'auth.pods.invalid',
  'auth.pods.missing',
  'auth.scheme-required',
  'auth.management.expired',
  'auth.management.forbidden',
  'auth.management.hidden',
  'auth.management.invalid',
  'auth.management.malformed',
  'auth.management.missing',
  'endpoints.create-media-type',
  'endpoints.deleted',
  'pods.create.media-type',
  'endpoints.min-above-max',
  'endpoints.quota',
  'endpoints.quota-race',
  'endpoints.template-unknown',
  'endpoints.types',
  'endpoints.unknown',
  ...listing,
]

/** Lists of pods and endpoints: the time until something new is in them, and pages. */
export const lists: readonly Latitude[] = [
  timed(
    'list-lags',
    'A new pod or endpoint is in the list after five seconds.',
    { listLagMs: 5_000 },
    { about: 'new resources' },
  ),
  latitude('list-lags-long', 'A new pod or endpoint is in the list after an hour.', {
    planes: ['pods', 'management'],
    about: 'everything',
    life: { listLagMs: 3_600_000 },
    verdicts: {
      // Longer than a write may take to be visible, by the tolerance of its file.
      'pods.create.read-back': 'failed',
      'pods.list.contains': 'failed',
      'pods.walk': 'failed',
      ...verdict('inconclusive', ofLists),
    },
  }),
  latitude('list-of-bare-ids', 'The list of pods holds their ids as texts, and nothing else.', {
    about: 'everything',
    wrap: onResponse(
      (request, { ok }) => ok && is.list(request),
      ({ text }) => ({ text: JSON.stringify(podsIn(text).map(({ id }) => id)) }),
    ),
    verdicts: { 'pods.list.full-shape': 'advice' },
  }),
  latitude('list-of-edges', 'The list of pods holds each of them in an entry with a cursor, as the target file says.', {
    planes: ['pods'],
    about: 'everything',
    file: plane({ listAt: 'data.edges.*.node' }),
    wrap: onResponse(
      (request, { ok }) => ok && is.list(request),
      ({ text }) => ({
        text: JSON.stringify({ data: { edges: podsIn(text).map((node, cursor) => ({ cursor, node })) }, warnings: [] }),
      }),
    ),
  }),
  latitude('lists-in-pages', 'The pods and endpoints of a run are on the second page of their lists.', {
    planes: ['pods', 'management'],
    about: 'everything',
    wrap: onResponse(
      (request, { ok }) => ok && (is.list(request) || requestOf('listEndpoints')(request)),
      ({ headers, text }) => {
        headers.set('link', '<?page=2>; rel="next"')
        return { text: text.startsWith('[') ? '[]' : '{"pods":[]}' }
      },
    ),
    verdicts: verdict('inconclusive', [
      ...ofLists,
      'endpoints.quota-update',
      'pods.create.read-back',
      'pods.list.contains',
    ]),
  }),
]

function podsIn(text: string): readonly { readonly id: string }[] {
  return (JSON.parse(text) as { readonly pods: readonly { readonly id: string }[] }).pods
}
