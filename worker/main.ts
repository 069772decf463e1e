#!/usr/bin/env node
import { environmentOf, executeMessages } from './messages.ts'
import { serveBalanced } from './serve.ts'

// The conformance worker as a process of its own (`spec/worker.md`). It needs this folder and Node alone.
const port = environmentOf('PLUMBLINE_PORT')
if (port === undefined) executeMessages()
else serveBalanced(Number(port))
