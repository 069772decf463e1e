import type { WorkerProgram } from '../../worker/program.ts'

/** A template that endpoints are created from. */
export interface TemplateOffer {
  readonly id: string
  /** The program of its workers; the worker of the reference unless given. */
  readonly program?: WorkerProgram
  /** The same, for an endpoint of this name. */
  readonly programOf?: (name: string) => WorkerProgram
  /** True if its endpoints are load-balanced. */
  readonly isBalanced?: boolean
}

/** The templates that a reference has unless it is given others. */
export const defaultTemplates: readonly TemplateOffer[] = [
  { id: 'tpl-worker' },
  { id: 'tpl-server', isBalanced: true },
  // A function that returns the name of its endpoint.
  { id: 'tpl-name', programOf: (name) => ({ execute: async () => ({ kind: 'completed', output: name }) }) },
]
