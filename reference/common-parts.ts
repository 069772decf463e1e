import { authenticate, authorize } from './auth/authenticate.ts'
import { problem } from './http/problem.ts'
import { readBody } from './http/read-body.ts'
import { enforces, validate } from './http/validate.ts'

/** The functions of every plane that can be replaced one by one. */
export const commonParts = { authenticate, authorize, enforces, problem, readBody, validate }

export type CommonParts = Readonly<typeof commonParts>
