import type { Defect } from './types.ts'

/** The defects that a vendor defined for rules of its own, in the order of their definition. */
export const vendorDefects: Defect[] = []
