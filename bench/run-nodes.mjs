// Measures many nodes of one cluster in this process, as JSON: `node --expose-gc bench/run-nodes.mjs NAME MODE`. All
// times are processor time of the process, alternatives run in turns, and figures are medians.
import { manyNodesOf, SIZES, withEndpointReplaced, withPercentReplaced } from './clusters.mjs'

const NODES = 1_000
const HELD = 100
const RUNS = 9
const COMPARED = 20
const ONE = 'node-1'

const { compile, compileNodes, diff } = await import(
  new URL('../packages/compiler/dist/index.js', import.meta.url).href
)
const [name, mode] = process.argv.slice(2)
let cluster = manyNodesOf(
  SIZES.find((size) => size.name === name),
  mode,
  NODES,
)
/** Nodes distributed over the cluster and its zones. */
const names = Array.from({ length: HELD }, (_, index) => `node-${(index * 7) % NODES}`)

console.log(
  JSON.stringify({
    ...{ name, mode, nodes: NODES, held: HELD },
    ...{ ...measureFull(), ...measureMemory(), ...measureChange(), ...measureDiff() },
  }),
)

/**
 * Measures the cost per further node: the time of many nodes minus that of the first few. This excludes the cost of
 * zones.
 */
function measureFull() {
  const few = names.slice(0, 3)
  const runs = repeat(RUNS, () => {
    const fullMs = cpuMs(() => compileOne())
    const fewMs = cpuMs(() => compileMany(few))
    const manyMs = cpuMs(() => compileMany(names))
    return { fullMs, furtherMs: (manyMs - fewMs) / (names.length - few.length) }
  })
  return { fullMs: median(runs.map(({ fullMs }) => fullMs)), furtherMs: median(runs.map(({ furtherMs }) => furtherMs)) }
}

function measureMemory() {
  const empty = heapBytes()
  const one = compileOne()
  const oneBytes = heapBytes() - empty
  const many = compileMany(names)
  const manyBytes = heapBytes() - empty - oneBytes
  return { oneBytes, manyBytes, kept: many.size + one.families.length }
}

/** Measures one endpoint's new address: for one node, and for all retained nodes. */
function measureChange() {
  let one = compileOne()
  let many = compileMany(names)
  let step = 0
  const changes = (count, go) => {
    const inputs = repeat(count, () => {
      cluster = withEndpointReplaced(cluster, step++)
      return cluster.input
    })
    return cpuMs(() => inputs.forEach(go)) / count
  }
  const stepOne = (input) => {
    one = compile(input, { ...cluster.options, nodeName: ONE, previous: one })
  }
  const stepMany = (input) => {
    many = new Map(pairsOf(compileNodes(input, { ...cluster.options, nodeNames: names, previous: many })))
  }
  const runs = repeat(4 * RUNS, () => ({
    oneChangeMs: changes(20, stepOne),
    manyChangeMs: changes(3, stepMany),
  })).slice(RUNS)
  return {
    oneChangeMs: median(runs.map(({ oneChangeMs }) => oneChangeMs)),
    manyChangeMs: median(runs.map(({ manyChangeMs }) => manyChangeMs)),
  }
}

/**
 * Measures the comparison of results of a node, in which 1% of the Services have a new endpoint: for the first two
 * results of the node, and for later ones. Also measures the memory that the first comparisons keep.
 */
function measureDiff() {
  const own = names.slice(0, COMPARED)
  let held = compileMany(own)
  const steps = Array.from({ length: 3 }, (_, step) => {
    cluster = withPercentReplaced(cluster, step)
    const next = new Map(pairsOf(compileNodes(cluster.input, { ...cluster.options, nodeNames: own, previous: held })))
    const empty = heapBytes()
    const times = own.map((nodeName) => cpuMs(() => diff(held.get(nodeName), next.get(nodeName))))
    const bytes = heapBytes() - empty
    held = next
    return { ms: median(times), bytes: bytes / own.length }
  })
  return { firstDiffMs: steps[0].ms, diffMs: steps[2].ms, diffBytes: steps[0].bytes }
}

function compileOne() {
  return compile(cluster.input, { ...cluster.options, nodeName: ONE })
}

function compileMany(nodeNames) {
  return new Map(pairsOf(compileNodes(cluster.input, { ...cluster.options, nodeNames })))
}

function pairsOf(results) {
  return Array.from(results, ({ nodeName, result }) => [nodeName, result])
}

function repeat(count, run) {
  return Array.from({ length: count }, run)
}

function cpuMs(run) {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

function heapBytes() {
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

function median(numbers) {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
