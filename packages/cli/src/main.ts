#!/usr/bin/env node
import { createProcessContext } from './process-context.js'
import { runCli } from './run-cli.js'

// process.exit() would discard output that a pipe has not read yet.
runCli(createProcessContext()).then((exitCode) => {
  process.exitCode = exitCode
})
