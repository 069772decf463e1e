#!/usr/bin/env node
// JavaScript of years ago on purpose: an old Node must get as far as one clear sentence, not a syntax error.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** As `engines` in package.json says. */
const needed = '22.19 or a newer 22, 24, or 26 and newer'
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
const interrupted = 130
const here = dirname(fileURLToPath(import.meta.url))

if (process.env.npm_lifecycle_event === 'npx') endWithParent()
if (isSupported(process.versions.node)) runHere()
else runUnderBundledNode()

function isSupported(version) {
  const [major, minor] = version.split('.').map(Number)
  return (major === 22 && minor >= 19) || major === 24 || major >= 26
}

function runHere() {
  // Also started as plumbline-deploy, the deployment tool of the reference.
  const isTool = /plumbline-deploy(\.js)?$/.test(process.argv[1])
  const main = join(here, '..', 'dist', 'cli', isTool ? 'deploy' : '', 'main.js')
  if (!existsSync(main)) {
    refuse(`it is not built yet (${main} is missing); run npm run build`, 2)
    return
  }
  // Until the command line takes them.
  for (const signal of signals) process.on(signal, () => process.exit(interrupted))
  // Under the bundled Node our parent is the launcher: where that is killed, we end as if we had been told to.
  if (process.channel) {
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
    process.channel.unref()
  }
  module.enableCompileCache()
  import(pathToFileURL(main).href).catch((error) => {
    refuse(`internal error: ${error?.message || error}`, 4)
  })
}

function runUnderBundledNode() {
  const node = bundledNode()
  if (node === null) {
    const name = `node-${process.platform}-${process.arch}`
    const remedy = `install one, or add it to this project with npm install --save-dev ${name}@24`
    refuse(`it needs Node ${needed}; this is ${process.versions.node}; ${remedy}`, 2)
    return
  }
  let child
  // From a terminal the child has its signal already; it takes two in quick succession for one.
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child = spawn(node, process.argv.slice(1), { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  child.on('error', (error) => refuse(`the bundled Node could not be started: ${error.message}`, 4))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    if (signals.includes(signal)) process.exit(interrupted)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/** npx hands a signal to the shell between us, which ends without handing it on. */
function endWithParent() {
  const parent = process.ppid
  const watching = setInterval(() => {
    if (process.ppid === parent) return
    // Once: a second signal ends a command at once, and it may have pods to remove.
    clearInterval(watching)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  watching.unref()
}

/** The Node of an optional dependency: beside us, or in any folder above us. */
function bundledNode() {
  const name = `node-${process.platform}-${process.arch}`
  let folder = here
  for (;;) {
    const file = join(folder, 'node_modules', name, 'bin', 'node')
    if (existsSync(file)) return file
    if (folder === dirname(folder)) return null
    folder = dirname(folder)
  }
}

function refuse(sentence, code) {
  process.stderr.write(`plumbline: ${sentence}\n`)
  process.exitCode = code
}
