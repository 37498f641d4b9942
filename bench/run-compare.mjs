// Measures comparing the rules of a mode with themselves and with those of the other modes, for one size in this process, and
// prints the figures as JSON: `node --expose-gc bench/run-compare.mjs NAME MODE`. Processor time.
import { clusterOf, SIZES } from './clusters.mjs'

const MODES = ['iptables', 'ipvs', 'nftables']
/** One Service with this number of endpoints. Its cost must not be quadratic in their number. */
const FAT = { 'one x 100': 100, 'one x 1,000': 1_000 }
/** Numbers of NodePort Services. The cost must be linear in their number. */
const NODE_PORTS = { '20 node ports': 20, '100 node ports': 100, '1,000 node ports': 1_000 }

const { compile } = await import(new URL('../packages/compiler/dist/index.js', import.meta.url).href)
const { compare } = await import(new URL('../packages/analyzer/dist/index.js', import.meta.url).href)
const { traceContextFor: traceContextOf } = await import(
  new URL('../packages/analyzer/dist/entries/explain.js', import.meta.url).href
)
const [name, mode] = process.argv.slice(2)
const size = sizeOf()
const rows = rowsOf()
console.log(JSON.stringify({ name, rows }))

function sizeOf() {
  if (FAT[name]) return { services: 1, endpoints: FAT[name] }
  if (NODE_PORTS[name]) return { services: NODE_PORTS[name], endpoints: 3, nodePorts: true }
  return SIZES.find((each) => each.name === name)
}

function rowsOf() {
  const own = compiled(mode)
  const others = FAT[name] ? [mode] : [mode, ...MODES.filter((each) => each !== mode)]
  return others.map((other) => {
    const { state } = compiled(other)
    globalThis.gc()
    const [compareMs, { classes, differences }] = timed(() => compare(own.state, state, traceContextOf(own.plan)))
    return { sides: `${mode} : ${other}`, compareMs, classes, differences: differences.length }
  })
}

function timed(work) {
  const before = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(before)
  return [(user + system) / 1000, result]
}

function compiled(of) {
  const { input, options } = clusterOf(size, of)
  return compile(input, options).families[0]
}
