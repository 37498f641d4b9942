// Compares the built library with what the real kube-proxy produced: every step of every conformance case.
// Every step is compiled from the result of the step before; the patch between the two is applied to the state before.
// What the reference holds after a step is verified as a dump: there must be no drift.
//
//   node scripts/conformance.mjs [FOLDER] [--compare FILE] [--show N] [--verbose]
//
// FOLDER holds the cases (default: ../shared/conformance/cases beside the repository); the comparison is
// FOLDER/../compare.mjs unless --compare names another. Exit code 0: every step agrees; 1: one does not; 2: cannot run.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { loadLibrary, rootOf } from './conformance/library.mjs'
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
const folder = resolve(positionals[0] ?? join(root, '../shared/conformance/cases'))
const compare = resolve(values.compare ?? join(folder, '../compare.mjs'))
const compiler = join(root, 'packages/compiler')

process.exitCode = await main()

async function main() {
  const missing = [
    [folder, 'no conformance cases: give their folder as the first argument'],
    [compare, 'no comparison: give it with --compare FILE'],
    [rootOf(compiler), 'the library is not built: run `pnpm build`'],
  ].filter(([path]) => !existsSync(path))
  for (const [path, message] of missing) console.error(`${message} (looked for ${path})`)
  if (missing.length > 0) return 2

  const { compareStep } = await import(pathToFileURL(compare).href)
  const byMode = runCases(await loadLibrary(compiler), compareStep, readCases())
  for (const { differences } of byMode.values()) printDifferences(differences ?? [])
  for (const [mode, tally] of byMode) console.log(summaryOf(mode, tally))
  return [...byMode.values()].some(({ differences }) => differences?.length > 0) ? 1 : 0
}

function* readCases() {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  for (const file of files.sort()) yield JSON.parse(readFileSync(join(folder, file), 'utf8'))
}

function printDifferences(differences) {
  const shown = values.verbose ? differences.length : Math.min(Number(values.show), differences.length)
  for (const { name, step, lines } of differences.slice(0, shown)) {
    console.log(`${name} step ${step}: ${lines.length} differences`)
    for (const line of values.verbose ? lines : lines.slice(0, 5)) console.log(`  ${line}`)
  }
  if (shown < differences.length) console.log(`${differences.length - shown} more steps differ; --verbose shows all`)
}

function summaryOf(mode, { cases, steps, agreeing, verified, differences }) {
  if (differences === undefined) return `${mode}: not implemented (${steps} steps in ${cases.size} cases)`
  return `${mode}: ${agreeing}/${steps} steps agree in ${cases.size} cases; ${verified}/${steps} dumps verified without drift`
}
