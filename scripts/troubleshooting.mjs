#!/usr/bin/env node
// Writes docs/troubleshooting/cases.md from the cases in fixtures/troubleshooting.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { printCases } from './troubleshooting/print-cases.mjs'

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

writeFileSync(pathOf('docs/troubleshooting/cases.md'), printCases(pathOf('fixtures/troubleshooting')))
