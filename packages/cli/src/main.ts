#!/usr/bin/env node
import { processContext } from './process-context.js'
import { runCli } from './run-cli.js'

// process.exit() would discard output that a pipe has not read yet.
runCli(processContext()).then((exitCode) => {
  process.exitCode = exitCode
})
