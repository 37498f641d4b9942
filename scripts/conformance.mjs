// Compares the built library with the output of the real kube-proxy: every step of every conformance case, for the
// version of the case (`kubernetesVersion`, default 1.30). If a step has several valid outcomes (`expectedOneOf`), the
// result must be one of them. Each step compiles from the result of the previous one, and the patch between the two is
// applied to the previous state. The reference state after each step is also verified as a dump and must have no drift.
//
// node scripts/conformance.mjs [PATH...] [--mode MODES] [--version VERSIONS] [--name TEXT] [--compare FILE]
//                              [--show N] [--verbose]
//
// Each PATH is a case (.json), a file with one case a line (.jsonl, .jsonl.gz), or a folder of these or of such folders
// (default: ../shared/conformance/cases beside the repository). --mode and --version run only steps of these modes and versions
// (separated by commas, versions as the summary prints them), --name only cases whose name contains TEXT. The comparison
// is compare.mjs in the nearest folder above the first PATH unless --compare names another. Exit code 0: every step
// agrees, or has a known reason: in conformance/known-differences.json, or because kube-proxy keeps slices of former
// Services (conformance/kept-slices.mjs); 1: one does not; 2: cannot run. It skips cases of modes that are not
// implemented, and counts them in the last line.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { splitByKnown } from './conformance/known-differences.mjs'
import { loadLibrary, rootOf } from './conformance/library.mjs'
import { readCases } from './conformance/read-cases.mjs'
import { runCases } from './conformance/run-cases.mjs'
import { selectCases } from './conformance/select-cases.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    compare: { type: 'string' },
    mode: { type: 'string' },
    name: { type: 'string' },
    show: { type: 'string', default: '10' },
    verbose: { type: 'boolean', default: false },
    version: { type: 'string' },
  },
})
const given = positionals.length > 0 ? positionals : [join(root, '../shared/conformance/cases')]
const paths = given.map((path) => resolve(path))
const compare = resolve(values.compare ?? comparisonAbove(paths[0]))
const packages = join(root, 'packages')

process.exitCode = await main()

async function main() {
  const missing = [
    ...paths.map((path) => [path, 'no conformance cases: give their files or folders as arguments']),
    [compare, 'no comparison: give it with --compare FILE'],
    [rootOf(packages), 'the library is not built: run `pnpm build`'],
  ].filter(([path]) => !existsSync(path))
  for (const [path, message] of missing) console.error(`${message} (looked for ${path})`)
  if (missing.length > 0) return 2

  const { compareStep } = await import(pathToFileURL(compare).href)
  const expected = { modes: values.mode?.split(','), versions: values.version?.split(','), name: values.name }
  const cases = selectCases(readCases(paths), expected)
  const { tallies, skipped, olderSelectors } = runCases(await loadLibrary(packages), compareStep, cases)
  const known = JSON.parse(readFileSync(new URL('conformance/known-differences.json', import.meta.url), 'utf8'))
  const { unknown, explained, outdated } = splitByKnown(tallies, known)
  for (const differences of unknown) printDifferences(differences)
  for (const [title, tally] of tallies) console.log(summaryOf(title, tally))
  for (const { case: name, step, reason } of explained) console.log(`known: ${name} step ${step}: ${reason}`)
  for (const { case: name, step } of outdated)
    console.log(`agrees, remove it from the known differences: ${name} step ${step}`)
  if (olderSelectors.size > 0) console.log(`recorded with the label selectors of 1.35: ${olderSelectors.size} cases`)
  if (skipped.steps > 0) console.log(skippedLine(skipped))
  return unknown.length + outdated.length > 0 ? 1 : 0
}

/**
 * Returns the `compare.mjs` in a folder, or in the nearest folder above it that has one. If no folder has one, returns
 * its path in the folder itself.
 */
function comparisonAbove(path) {
  const files = [path, ...foldersAbove(path)].map((folder) => join(folder, 'compare.mjs'))
  return files.find((file) => existsSync(file)) ?? files[0]
}

function foldersAbove(path) {
  const parent = dirname(path)
  return parent === path ? [] : [parent, ...foldersAbove(parent)]
}

function printDifferences(differences) {
  const shown = values.verbose ? differences.length : Math.min(Number(values.show), differences.length)
  for (const { name, step, lines } of differences.slice(0, shown)) {
    console.log(`${name} step ${step}: ${lines.length} differences`)
    for (const line of values.verbose ? lines : lines.slice(0, 5)) console.log(`  ${line}`)
  }
  if (shown < differences.length) console.log(`${differences.length - shown} more steps differ; --verbose shows all`)
}

function summaryOf(title, { cases, steps, agreeing, verified }) {
  return `${title}: ${agreeing}/${steps} steps agree in ${cases.size} cases; ${verified}/${steps} dumps verified without drift`
}

function skippedLine({ cases, steps, modes }) {
  return `skipped: ${steps} steps in ${cases.size} cases, of modes that are not implemented (${[...modes].sort().join(', ')})`
}
