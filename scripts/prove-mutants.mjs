// Measures what `prove` finds alone: adds mutants to the targets of the compiler, one at a time, compiles the clusters
// in fixtures/ with each, and proves the results against the plan without the mutant.
//
// node scripts/prove-mutants.mjs [FOLDER, FILE OR FILE:LINE...] [--count N] [--seed N] [--patience SECONDS]
//
// Mutants that no packet can show are counted separately:
// - not exercised: the result is the same for every cluster
// - not about packets: the rules have the same text, and only counts, owners or limitations differ; or their texts
//   differ only in comments, in the order of lines whose order does not matter, or consistently in names; or `compare`
//   of the rules with and without the mutant finds no difference
// - no longer proven: no counterexample, but the proof is inconclusive, for example because nft does not know a word
// - not valid: the type check rejects a mutant that the proof does not find
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isAt, mutantsIn, placeOf, sourcesIn, takeValid } from './mutants/candidates.mjs'
import { drawMutants } from './mutants/draw-mutants.mjs'
import { createTestRunner } from './mutants/test-runner.mjs'
import { createTypeChecker } from './mutants/type-checker.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    patience: { type: 'string', default: '180' },
  },
})

const TITLES = {
  found: 'found',
  missed: 'survived',
  undecided: 'no longer proven: inconclusive',
  same: 'not exercised',
  data: 'not about packets: beside the rules',
  comments: 'not about packets: comments, names or order',
  equal: 'not about packets: other rules, same for every packet',
  types: 'not valid: rejected by the type check',
}

const root = fileURLToPath(new URL('..', import.meta.url))
const given = positionals.length > 0 ? positionals : ['packages/compiler/src/targets']
const places = given.map((text) => placeOf(text, root))
const files = [...new Set(places.flatMap(({ path }) => sourcesIn(path, root)))]
const all = files.flatMap((file) => mutantsIn(file, root)).filter((mutant) => isAt(mutant, places))
const mutants = takeValid(drawMutants(all, values.seed), Number(values.count))

const runner = createTestRunner({
  ...{ root, patience: Number(values.patience) },
  program: fileURLToPath(new URL('mutants/proof-process.mjs', import.meta.url)),
})
const types = createTypeChecker(root)
const judged = []
let isStopped = false
// On an interrupt, the table covers the mutants tried so far.
process.once('SIGINT', () => {
  isStopped = true
})
try {
  for (const mutant of mutants) {
    if (isStopped) break
    const started = Date.now()
    const verdict = await verdictOn(mutant)
    judged.push(verdict)
    printLine(mutant, verdict, judged.length, Date.now() - started)
  }
} finally {
  runner.close()
  types.close()
}
printTable()

/** Returns the verdict on a mutant, and the first case that shows it. A mutant that never ends counts as found. */
async function verdictOn(mutant) {
  const { results, timedOut } = await runner.run({ file: mutant.file, text: mutant.text })
  if (timedOut) return { verdict: 'found', name: 'never ends' }
  const [{ test: verdict, name }] = results
  return verdict === 'missed' && !types.accepts(mutant) ? { verdict: 'types', name } : { verdict, name }
}

function printLine({ kind, file, line, within, before, after }, { verdict, name }, number, took) {
  console.log(
    `${String(number).padStart(4)} ${(took / 1000).toFixed(1).padStart(6)} s  ${verdict.padEnd(8)}  ${file}:${line} ${kind}  ${name}`,
  )
  if (verdict !== 'found' && verdict !== 'same') console.log(`     in ${within}\n     - ${before}\n     + ${after}`)
}

function printTable() {
  const countOf = (verdict) => judged.filter((each) => each.verdict === verdict).length
  for (const [verdict, title] of Object.entries(TITLES))
    console.log(`${String(countOf(verdict)).padStart(5)}  ${title}`)
  const found = countOf('found')
  const total = found + countOf('missed') + countOf('undecided')
  const share = total === 0 ? 100 : (100 * found) / total
  console.log(
    `prove-mutants: ${found} of ${total} mutants about packets found: ${share.toFixed(1)} % (seed ${values.seed})`,
  )
}
