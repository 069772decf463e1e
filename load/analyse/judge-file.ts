import type { RuleId } from '../../generated/rules.ts'
import { isOfQueue, judgedByLoad } from '../../harness/rule/load-rules.ts'

/** The file with the functions that judge a rule from a recorded load; null if none does. */
export function judgeFileOf(id: RuleId): string | null {
  return judgedByLoad.has(id) ? `load/analyse/${isOfQueue(id) ? 'analyse' : 'pods'}.ts` : null
}
