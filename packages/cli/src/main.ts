#!/usr/bin/env node
import { processContext } from './process-context.js'
import { runCli } from './run-cli.js'

// Not process.exit(): it would cut off what a pipe has not taken yet.
runCli(processContext()).then((exitCode) => {
  process.exitCode = exitCode
})
