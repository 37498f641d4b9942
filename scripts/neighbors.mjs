#!/usr/bin/env node
// Writes docs/reference/neighbors.md from the table of programs in the analyzer. Needs a build.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { NEIGHBORS } from '../packages/analyzer/dist/neighbors/neighbors.js'
import { printNeighbors } from './neighbors/print-neighbors.mjs'

const page = fileURLToPath(new URL('../docs/reference/neighbors.md', import.meta.url))
writeFileSync(page, printNeighbors(NEIGHBORS))
