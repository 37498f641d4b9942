// Excerpts of dumps: `node scripts/excerpts.mjs [--seconds 20] [--seed 1] [--only NAME] [--faults 5]`.
//
// Cuts the complete dumps of many nodes in the ways in which people cut them, and compares the answers of explain, of
// verify and of the diagnoses with those of the whole dump. Fails if an excerpt makes a certain statement that the whole
// dump refutes.
import { parseArgs } from 'node:util'
import { runExcerpts } from './excerpts/run.mjs'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    faults: { type: 'string', default: '5' },
  },
})
const seed = values.seed === 'random' ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed)
const load = (path) => import(new URL(`../packages/${path}`, import.meta.url).href)
const library = Object.assign(
  {},
  ...(await Promise.all([
    load('analyzer/dist/index.js'),
    load('analyzer/dist/entries/explain.js'),
    load('analyzer/dist/entries/verify.js'),
    load('application/dist/cluster.js'),
    load('compiler/dist/index.js'),
  ])),
)
const { excerpts, comparisons, byCut, byMode, faults } = runExcerpts({
  library,
  seed,
  seconds: Number(values.seconds),
  only: values.only,
  maxFaults: Number(values.faults),
})
console.log(`seed ${seed}: ${excerpts} excerpts, ${comparisons} comparisons`)
for (const [cut, counts] of Object.entries({ ...byMode, ...byCut }))
  console.log(
    `  ${cut}: ${counts.excerpts} excerpts, ${counts.comparisons} comparisons, ${counts.certain} certain answers`,
  )
for (const { node, cut, fault, text } of faults)
  console.log(`\n${node}, ${cut}: ${fault.replaceAll('\n', ' ')}\n${text}`)
process.exitCode = faults.length > 0 ? 1 : 0
