// Measures reading back and verifying one size in this process and prints the figures as JSON:
// `node --expose-gc bench/run-verify.mjs NAME MODE`. Every figure is the median of the runs after the first.
import { clusterOf, SIZES } from './clusters.mjs'

const RUNS = 5

const { compile, print } = await import(new URL('../packages/compiler/dist/index.js', import.meta.url).href)
const { parseDump, verify } = await import(new URL('../packages/analyzer/dist/index.js', import.meta.url).href)
const [name, mode] = process.argv.slice(2)
const { input, options } = clusterOf(
  SIZES.find((size) => size.name === name),
  mode,
)
const result = compile(input, options)
const { state } = result.families[0]
const printSave = () => print(state, { format: 'save' })
const text = printSave()
const dumps = [
  ['as compiled', text],
  ['service ports in another order', reordered(text)],
  ['1 % of endpoint rules gone', damaged(text)],
]

const printMs = measure(printSave)
const parseMs = measure(() => read(text))
const rows = dumps.map(([what, dumped]) => {
  const dump = read(dumped)
  const findings = verify(result, dump).families.flatMap(({ drift }) => drift.flatMap((group) => group.drift)).length
  return { what, verifyMs: measure(() => verify(result, dump)), findings }
})
const lines = text.split('\n').length - 1
console.log(JSON.stringify({ name, mode, lines, bytes: Buffer.byteLength(text), printMs, parseMs, rows }))

function read(dumped) {
  const parsed = parseDump(dumped)
  if (!parsed.ok) throw new Error(parsed.problems[0].excerpt)
  return parsed.value
}

function measure(run) {
  run()
  const times = Array.from({ length: RUNS }, () => {
    globalThis.gc()
    const start = performance.now()
    run()
    return performance.now() - start
  })
  return times.sort((a, b) => a - b)[Math.floor(RUNS / 2)]
}

/** Reverses the rules of service ports in KUBE-SERVICES, because kube-proxy may write them in any order. */
function reordered(dumped) {
  return dumped.replace(/(?:^-A KUBE-SERVICES -d .*\n)+/m, (rules) =>
    rules.trimEnd().split('\n').reverse().join('\n').concat('\n'),
  )
}

/** Removes every hundredth rule that sends packets to an endpoint, or every hundredth real server. */
function damaged(dumped) {
  let count = 0
  return dumped.replace(/^(?:-A KUBE-SEP-\S+ -p|-a ).*\n/gm, (line) => (count++ % 100 === 0 ? '' : line))
}
