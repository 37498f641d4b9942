// Measures changes to one size in this process, as JSON: `node --expose-gc bench/run-changes.mjs NAME MODE`. A change
// consists of a compile with the last result, the diff of the two results, and the script for the diff.
import { clusterOf, SIZES, withEndpointReplaced, withPercentReplaced, withServiceAddedOrRemoved } from './clusters.mjs'

const WARM_UP = 20
const RUNS = 41

const CHANGES = [
  ['nothing', (cluster) => cluster],
  ['one endpoint replaced', withEndpointReplaced],
  ['one Service added or removed', withServiceAddedOrRemoved],
  ['endpoints of 1 % of Services', withPercentReplaced],
]

const { compile, diff, toCommands } = await import(new URL('../packages/compiler/dist/index.js', import.meta.url).href)
const [name, mode] = process.argv.slice(2)
const size = SIZES.find((each) => each.name === name)
let cluster = clusterOf(size, mode)
let result = compile(cluster.input, cluster.options)
// The first diff is complete, so it is not measured.
toCommands(diff(undefined, result))
diff(result, compile(withEndpointReplaced(cluster, 0).input, { ...cluster.options, previous: result }))

const rows = CHANGES.map(([change, apply]) => ({ name, mode, change, ...measureChange(apply) }))
console.log(JSON.stringify({ rows, ...measureMemory() }))

function measureChange(apply) {
  const runs = Array.from({ length: WARM_UP + RUNS }, (_, step) => run(apply(cluster, step))).slice(WARM_UP)
  return {
    compileMs: median(runs.map(({ compileMs }) => compileMs)),
    diffMs: median(runs.map(({ diffMs }) => diffMs)),
    scriptMs: median(runs.map(({ scriptMs }) => scriptMs)),
    totalMs: median(runs.map(({ compileMs, diffMs, scriptMs }) => compileMs + diffMs + scriptMs)),
    changes: Math.max(...runs.map(({ changes }) => changes)),
    lines: Math.max(...runs.map(({ lines }) => lines)),
    bytes: Math.max(...runs.map(({ bytes }) => bytes)),
  }
}

function run(next) {
  const start = performance.now()
  const compiled = compile(next.input, { ...next.options, previous: result })
  const afterCompile = performance.now()
  const patch = diff(result, compiled)
  const afterDiff = performance.now()
  const runs = toCommands(patch, { backend: 'nft' })
  const end = performance.now()
  cluster = next
  result = compiled
  const text = runs.map(({ input, args }) => input || `${args.join(' ')}\n`).join('')
  return {
    compileMs: afterCompile - start,
    diffMs: afterDiff - afterCompile,
    scriptMs: end - afterDiff,
    changes: patch.families.reduce((sum, family) => sum + family.patch.changes.length, 0),
    lines: text.split('\n').length - 1,
    bytes: Buffer.byteLength(text),
  }
}

/** Measures the retained memory of one result in addition to its input, and of two results after one change. */
function measureMemory() {
  const fresh = clusterOf(size, mode)
  const empty = heapBytes()
  let previous = compile(fresh.input, fresh.options)
  const one = heapBytes() - empty
  const changed = withEndpointReplaced(fresh, 1)
  const next = compile(changed.input, { ...fresh.options, previous })
  const two = heapBytes() - empty
  previous = [previous, next]
  return { oneResultBytes: one, twoResultsBytes: two, kept: previous.length }
}

function heapBytes() {
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

function median(numbers) {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
