// Measures proving the rules of one size in every mode, in this process, and prints the figures as JSON:
// `node --expose-gc bench/run-prove.mjs NAME`. Processor time.
import { clusterOf, SIZES } from './clusters.mjs'

const { compile } = await import(new URL('../packages/compiler/dist/index.js', import.meta.url).href)
const { prove } = await import(new URL('../packages/analyzer/dist/index.js', import.meta.url).href)
const [name] = process.argv.slice(2)
const size = SIZES.find((each) => each.name === name)
const rows = ['iptables', 'ipvs', 'nftables'].map((mode) => {
  const { input, options } = clusterOf(size, mode)
  const result = compile(input, options)
  globalThis.gc()
  const before = process.cpuUsage()
  const proofs = prove(result)
  const { user, system } = process.cpuUsage(before)
  const classes = proofs.reduce((sum, proof) => sum + proof.classes, 0)
  return { mode, proveMs: (user + system) / 1000, classes, verdicts: proofs.map(({ verdict }) => verdict).join() }
})
console.log(JSON.stringify({ name, rows, peakBytes: process.resourceUsage().maxRSS * 1024 }))
