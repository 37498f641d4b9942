#!/usr/bin/env node
// Writes docs/troubleshooting/cases.md and its pages from the cases in fixtures/troubleshooting and fixtures/reports.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadSources } from './mutants/load-sources.mjs'
import { printCase, printIndex } from './troubleshooting/print-cases.mjs'
import { readCases } from './troubleshooting/read-cases.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const pages = join(root, 'docs/troubleshooting/cases')

const { module: playground } = await loadSources({
  root,
  from: 'packages/playground/builder',
  exports: `export { encodeCaseHash } from './case-link.js'`,
})
const cases = readCases(join(root, 'fixtures'))
rmSync(pages, { recursive: true, force: true })
mkdirSync(pages)
writeFileSync(`${pages}.md`, printIndex(cases))
for (const each of cases) {
  const { example, page, question, files } = each
  const hash = example === undefined ? await playground.encodeCaseHash(question, files) : `#example=${example}`
  writeFileSync(join(pages, `${page}.md`), printCase(each, hash))
}
