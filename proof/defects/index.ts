import type { Defect } from '../types.ts'

/** Every defect; at least one for each clause of each rule. */
export const defects: readonly Defect[] = []
