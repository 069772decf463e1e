/** A server as a value. */
export type Fetch = (request: Request) => Promise<Response>
