import { commonParts } from './common-parts.ts'
import * as containers from './containers/containers.ts'
import * as endpoints from './endpoints/endpoints.ts'
import * as shownEndpoints from './endpoints/present.ts'
import * as rates from './limits/rate-headers.ts'
import * as passOn from './load-balanced/pass-on.ts'
import * as balancedPipeline from './load-balanced/pipeline.ts'
import * as balancedWorkers from './load-balanced/workers.ts'
import * as podsCreated from './pods/create.ts'
import * as podsFound from './pods/find.ts'
import * as podLifecycle from './pods/lifecycle.ts'
import * as podsPatched from './pods/patch.ts'
import * as podsShown from './pods/present.ts'
import * as jobEnds from './queue/end.ts'
import * as executions from './queue/execute.ts'
import * as jobsFound from './queue/find.ts'
import * as queueOperations from './queue/operations.ts'
import * as queuePipeline from './queue/pipeline.ts'
import * as jobsShown from './queue/present.ts'
import * as submissions from './queue/submit.ts'
import * as workers from './queue/workers.ts'
import type { Parts } from './service.ts'
import * as webhooks from './webhook/notify.ts'

/** The functions that can be replaced are those of these modules that `Parts` names. */
const originals: Parts = {
  ...commonParts,
  ...containers,
  ...endpoints,
  ...shownEndpoints,
  ...rates,
  ...passOn,
  ...balancedPipeline,
  ...balancedWorkers,
  ...podLifecycle,
  ...podsCreated,
  ...podsFound,
  ...podsPatched,
  ...podsShown,
  ...jobEnds,
  ...executions,
  ...jobsFound,
  ...queueOperations,
  ...queuePipeline,
  ...jobsShown,
  ...submissions,
  ...workers,
  ...webhooks,
}

type PartName = keyof Parts

/** For a part, a function from what it was to what it shall be. */
export type PartWrappers = { readonly [K in PartName]?: (original: Parts[K]) => Parts[K] }

/** The parts of one reference; later wrappers go around earlier ones. */
export function buildParts(wrappers: readonly PartWrappers[]): Readonly<Parts> {
  const parts = { ...originals }
  for (const changes of wrappers) {
    for (const name of Object.keys(changes) as PartName[]) wrapPart(parts, name, changes)
  }
  return parts
}

function wrapPart<K extends PartName>(
  parts: { -readonly [P in PartName]: Parts[P] },
  name: K,
  changes: PartWrappers,
): void {
  const wrapper = changes[name]
  if (wrapper !== undefined) parts[name] = wrapper(parts[name])
}
