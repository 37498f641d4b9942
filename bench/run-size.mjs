// Measures one size in this process and prints the figures as JSON: `node --expose-gc bench/run-size.mjs NAME MODE`.
import { clusterOf, SIZES } from './clusters.mjs'

const WARM_RUNS = 5

const { compile, print } = await import(new URL('../packages/compiler/dist/index.js', import.meta.url).href)
const [name, mode] = process.argv.slice(2)
const { input, options } = clusterOf(
  SIZES.find((size) => size.name === name),
  mode,
)

const inputRssBytes = process.memoryUsage().rss
const cold = measure()
const warm = Array.from({ length: WARM_RUNS }, measure)
const peakRssBytes = process.resourceUsage().maxRSS * 1024
const figures = {
  name,
  mode,
  coldCompileMs: cold.compileMs,
  coldPrintMs: cold.printMs,
  warmCompileMs: median(warm.map(({ compileMs }) => compileMs)),
  warmPrintMs: median(warm.map(({ printMs }) => printMs)),
  bytes: cold.bytes,
  lines: cold.lines,
  inputRssBytes,
  peakRssBytes,
  ...measureHeap(),
}
console.log(JSON.stringify(figures))

/** Measures a full compile of all families, then the text of each. */
function measure() {
  globalThis.gc()
  const start = performance.now()
  const result = compile(input, options)
  const compiled = performance.now()
  const texts = result.families.map(({ state }) => print(state))
  const printed = performance.now()
  return {
    compileMs: compiled - start,
    printMs: printed - compiled,
    bytes: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    lines: texts.reduce((sum, text) => sum + countLines(text), 0),
  }
}

/** Measures the retained memory of one result in addition to its input. */
function measureHeap() {
  const before = heapBytes()
  const result = compile(input, options)
  return { resultHeapBytes: heapBytes() - before, counts: result.counts }
}

function heapBytes() {
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

function countLines(text) {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

function median(numbers) {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
