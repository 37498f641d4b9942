#!/usr/bin/env node
// Writes the generated parts of the pages in docs/reference/cli. Needs a build.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describeExitCodes } from '../packages/cli/dist/commands/print-help.js'
import { commands } from '../packages/cli/dist/commands/registry.js'
import { replaceUsage } from './cli/print-usage.mjs'

for (const command of commands) {
  const path = fileURLToPath(new URL(`../docs/reference/cli/${command.name}.md`, import.meta.url))
  writeFileSync(path, replaceUsage(readFileSync(path, 'utf8'), command, await command.options(), describeExitCodes))
}
