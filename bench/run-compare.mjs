// Measures comparing the rules of a mode with themselves and with those of the other modes, for one size in this process, and
// prints the figures as JSON: `node --expose-gc bench/run-compare.mjs NAME MODE`. Processor time.
import { clusterOf, SIZES } from './clusters.mjs'

const MODES = ['iptables', 'ipvs', 'nftables']

const { compare, compile } = await import(new URL('../packages/compiler/dist/index.js', import.meta.url).href)
const { surroundingsOf } = await import(new URL('../packages/compiler/dist/entries/explain.js', import.meta.url).href)
const [name, mode] = process.argv.slice(2)
const own = compiled(mode)
const others = [mode, ...MODES.filter((each) => each !== mode)]
const rows = others.map((other) => {
  const { state } = compiled(other)
  globalThis.gc()
  const before = process.cpuUsage()
  const { classes, differences } = compare(own.state, state, surroundingsOf(own.plan))
  const { user, system } = process.cpuUsage(before)
  const sides = `${mode} : ${other}`
  return { sides, compareMs: (user + system) / 1000, classes, differences: differences.length }
})
console.log(JSON.stringify({ name, rows }))

function compiled(of) {
  const { input, options } = clusterOf(
    SIZES.find((size) => size.name === name),
    of,
  )
  return compile(input, options).families[0]
}
