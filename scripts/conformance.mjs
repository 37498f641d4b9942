// Compares the built library with the output of the real kube-proxy: every step of every conformance case, for the
// version of the case (`kubernetesVersion`, default 1.30). If a step has several valid outcomes (`expectedOneOf`), the
// result must be one of them. Each step compiles from the result of the previous one, and the patch between the two is
// applied to the previous state. The reference state after each step is also verified as a dump and must have no drift.
//
// node scripts/conformance.mjs [FOLDER...] [--compare FILE] [--show N] [--verbose]
//
// Each FOLDER contains cases (default: ../shared/conformance/cases beside the repository). The comparison is
// ../compare.mjs beside the first FOLDER unless --compare names another. Exit code 0: every step agrees; 1: one does
// not; 2: cannot run. It skips cases of modes that are not implemented, and counts them in the last line.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { loadLibrary, rootOf } from './conformance/library.mjs'
import { readCases } from './conformance/read-cases.mjs'
import { runCases } from './conformance/run-cases.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    compare: { type: 'string' },
    show: { type: 'string', default: '10' },
    verbose: { type: 'boolean', default: false },
  },
})
const given = positionals.length > 0 ? positionals : [join(root, '../shared/conformance/cases')]
const folders = given.map((folder) => resolve(folder))
const compare = resolve(values.compare ?? join(folders[0], '../compare.mjs'))
const packages = join(root, 'packages')

process.exitCode = await main()

async function main() {
  const missing = [
    ...folders.map((folder) => [folder, 'no conformance cases: give their folders as arguments']),
    [compare, 'no comparison: give it with --compare FILE'],
    [rootOf(packages), 'the library is not built: run `pnpm build`'],
  ].filter(([path]) => !existsSync(path))
  for (const [path, message] of missing) console.error(`${message} (looked for ${path})`)
  if (missing.length > 0) return 2

  const { compareStep } = await import(pathToFileURL(compare).href)
  const { tallies, skipped } = runCases(await loadLibrary(packages), compareStep, readCases(folders))
  for (const { differences } of tallies.values()) printDifferences(differences)
  for (const [title, tally] of tallies) console.log(summaryOf(title, tally))
  if (skipped.steps > 0) console.log(skippedLine(skipped))
  return [...tallies.values()].some(({ differences }) => differences.length > 0) ? 1 : 0
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
