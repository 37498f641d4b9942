// Mutation testing: adds mutants to the sources, one at a time, and reports those that no test and no type check
// detects. Does not change any files.
//
// node scripts/mutants.mjs [FOLDER, FILE OR FILE:LINE...] [--count N] [--seed N] [--sample] [--quick] [--list]
//     [--tests FOLDER]
//
// Exit code 1 if a mutant survives that is not in mutants/no-ops.json, the list of equivalent mutants with a reason for
// each.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isAt, mutantsIn, placeOf, sourcesIn, takeValid } from './mutants/candidates.mjs'
import { drawMutants, keyOf } from './mutants/draw-mutants.mjs'
import { judgeMutant } from './mutants/judge-mutant.mjs'
import { readTests } from './mutants/related-tests.mjs'
import { createTestOrder } from './mutants/test-order.mjs'
import { createTestRunner } from './mutants/test-runner.mjs'
import { createTypeChecker } from './mutants/type-checker.mjs'

const FOLDERS = [
  ...['model', 'plan', 'targets', 'dataplane', 'patch'].map((folder) => `packages/compiler/src/${folder}`),
  ...['dataplane', 'targets', 'verify', 'trace'].map((folder) => `packages/analyzer/src/${folder}`),
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    // A small sample, for .ci/run.
    sample: { type: 'boolean', default: false },
    // Excludes the property tests.
    quick: { type: 'boolean', default: false },
    // Runs only the tests of a folder or file and no type check, to measure which mutants they detect alone.
    tests: { type: 'string' },
    // A mutant counts as detected if no test finishes for this many seconds.
    patience: { type: 'string', default: '120' },
    list: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
  },
})

const root = fileURLToPath(new URL('..', import.meta.url))
const noOps = JSON.parse(readFileSync(new URL('mutants/no-ops.json', import.meta.url), 'utf8'))
const given = positionals.map((text) => placeOf(text, root))
const places = given.length > 0 ? given : FOLDERS.map((path) => ({ path }))
const files = [...new Set(places.flatMap(({ path }) => sourcesIn(path, root)))]
const all = files.flatMap((file) => mutantsIn(file, root))

const known = new Set(noOps.map(keyOf))
const stale = noOps.filter((noOp) => files.includes(noOp.file) && !all.some((mutant) => keyOf(mutant) === keyOf(noOp)))
const candidates = drawMutants(
  all.filter((mutant) => isAt(mutant, places)),
  values.sample ? '1' : values.seed,
)
const drawn = takeValid(candidates, values.sample ? 10 : Number(values.count))

if (values.list) for (const mutant of drawn) print(mutant)
else process.exitCode = (await tryAll(drawn)) + stale.length > 0 ? 1 : 0
for (const noOp of stale) console.error(`mutants: no-ops.json names what is not there: ${keyOf(noOp)}`)

/** Creates a type checker that accepts every mutant. */
function createNoTypeCheck() {
  return { accepts: () => true, close: () => {} }
}

/** Runs all mutants, and returns the number of survivors that are not known as equivalent. */
async function tryAll(mutants) {
  const order = createTestOrder(readTests(root).filter(({ file }) => file.startsWith(values.tests ?? '')))
  const runner = createTestRunner({ root, patience: Number(values.patience) })
  const types = values.tests === undefined ? createTypeChecker(root) : createNoTypeCheck()
  const close = () => {
    runner.close()
    types.close()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      close()
      process.exit(130)
    })
  }

  const tools = { order, runner, types, passing: new Set(), broken: new Set(), quick: values.quick }
  const started = Date.now()
  const tally = { tests: 0, time: 0, types: 0, 'no-op': 0, survived: 0 }
  try {
    for (const [index, mutant] of mutants.entries()) {
      const begun = Date.now()
      const verdict = known.has(keyOf(mutant)) ? { by: 'no-op' } : await judgeMutant(mutant, tools)
      tally[verdict.by]++
      if (verdict.by === 'survived') print(mutant)
      if (!values.quiet) console.log(lineOf(mutant, verdict, index, Date.now() - begun))
    }
  } finally {
    close()
  }
  for (const test of tools.broken) console.error(`mutants: ${test} fails without any mutant, and was not asked`)
  printSummary(tally, mutants.length, Date.now() - started)
  return tally.survived
}

function print({ kind, file, line, within, before, after }) {
  console.log(`\nSURVIVED ${file}:${line} (${kind}, in ${within})\n- ${before}\n+ ${after}`)
}

function lineOf({ file, line, kind }, { by, test = '' }, index, took) {
  return `${String(index + 1).padStart(4)} ${(took / 1000).toFixed(1).padStart(6)} s  ${by.padEnd(8)}  ${file}:${line} ${kind}  ${test}`
}

function printSummary(tally, count, took) {
  const found = tally.tests + tally.time + tally.types
  const share = count === tally['no-op'] ? 100 : (100 * found) / (count - tally['no-op'])
  console.log(
    `mutants: ${count} tried, ${tally.tests} found by tests, ${tally.time} timed out, ${tally.types} found by types, ` +
      `${tally['no-op']} known to change nothing, ${tally.survived} survived: ${share.toFixed(1)} % found; ` +
      `${(took / 1000 / Math.max(1, count)).toFixed(1)} s each`,
  )
}
