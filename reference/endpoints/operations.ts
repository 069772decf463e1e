import type { Caller } from '../auth/accounts.ts'
import { type Answer, emptyAnswer, jsonAnswer } from '../http/json.ts'
import type { EndpointOperation } from '../operations.ts'
import type { EndpointService } from './service.ts'

/** An authenticated, authorised request; `id` is empty if the path names no endpoint. */
interface Call {
  readonly caller: Caller
  readonly id: string
  /** The body as JSON, of the operations that read one. */
  readonly body: unknown
}

type Handler = (call: Call, service: EndpointService) => Answer

/** The operations. Each acts in one go after its body was read, so that concurrent requests have an order. */
export const endpointOperations: { readonly [O in EndpointOperation]: Handler } = {
  listEndpoints({ caller }, service) {
    const { parts, style } = service
    const endpoints = parts.listEndpoints(caller, service).map((one) => parts.presentEndpoint(one, service))
    return jsonAnswer(200, style.endpointList === 'array' ? endpoints : { endpoints }, service)
  },

  createEndpoint({ caller, body }, service) {
    const { parts, style } = service
    const endpoint = parts.createEndpoint(body, caller, service)
    return jsonAnswer(style.endpointCreated, parts.presentEndpoint(endpoint, service), service)
  },

  getEndpoint({ caller, id }, service) {
    const { parts } = service
    return jsonAnswer(200, parts.presentEndpoint(parts.ownEndpoint(id, caller, service), service), service)
  },

  updateEndpoint({ caller, id, body }, service) {
    const { parts } = service
    const endpoint = parts.ownEndpoint(id, caller, service)
    parts.changeEndpoint(endpoint, body, service)
    return jsonAnswer(200, parts.presentEndpoint(endpoint, service), service)
  },

  deleteEndpoint({ caller, id }, service) {
    const { parts, style } = service
    parts.removeEndpoint(parts.ownEndpoint(id, caller, service), service)
    return style.endpointDeleted === 204 ? emptyAnswer(204) : jsonAnswer(style.endpointDeleted, {}, service)
  },
}
