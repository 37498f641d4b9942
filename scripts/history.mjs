#!/usr/bin/env node
// Writes docs/explanation/history.md: the rules of one Service in every version in which they change. Needs a build.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { printHistory } from './history/print-history.mjs'

const pathOf = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const built = (path) => import(pathToFileURL(pathOf(`packages/${path}`)).href)

const library = {
  ...(await built('compiler/dist/index.js')),
  ...(await built('analyzer/dist/entries/compare.js')),
}
const { readCluster, toCompileInput } = await built('application/dist/cluster.js')

const name = 'scripts/history/cluster.yaml'
const yaml = readFileSync(pathOf(name), 'utf8')
const source = readFileSync(pathOf('packages/compiler/src/model/configuration/features.ts'), 'utf8')
writeFileSync(
  pathOf('docs/explanation/history.md'),
  printHistory(library, toCompileInput(readCluster({ objects: [{ name, text: yaml }] })), yaml, source),
)
