import { isRefused, type Point } from '../points.ts'
import { type Case, type Ruling, unclear } from './judge.ts'
import { judgeRefusals } from './too-strict.ts'

/** One limit is exceeded while another one is used at a fraction: the other's 429s must be its own. */
export function judgeIsolation({ plan, points, beganMs }: Case): Ruling {
  const { neighbour, stretches } = plan
  const quietStretch = stretches[1]
  if (neighbour === null || quietStretch === undefined) {
    return unclear('the plan of isolation names no second limit')
  }
  const isQuiet = ({ operation, endpoint }: Point) =>
    operation === quietStretch.operation && (endpoint ?? stretches[0]?.endpoint) === quietStretch.endpoint
  const quiet = points.filter(isQuiet)
  const refused = points.filter((point) => !isQuiet(point) && isRefused(point)).length
  if (refused === 0) {
    return unclear(`${plan.limit.operation} was never at its limit, so nothing shows whether it is shared`)
  }
  const where = neighbour.across === 'endpoint' ? 'on another endpoint' : 'on the same endpoint'
  const { sentence, ...ruling } = judgeRefusals(quiet, neighbour.limit, beganMs)
  return {
    ...ruling,
    sentence: `while ${refused} requests of ${plan.limit.operation} were refused, ${where} ${sentence}`,
  }
}
