// Measures a node with rules of other programs, for one size in this process, and prints the figures as JSON:
// `node --expose-gc bench/run-foreign.mjs NAME iptables`. Processor time.
import { clusterOf, SIZES } from './clusters.mjs'

/** The number of rules that cannot be evaluated, and of rules of a host firewall. */
const UNDECIDABLE = 500
const FIREWALL = 100

const { compile, print } = await import(new URL('../packages/compiler/dist/index.js', import.meta.url).href)
const { compare, parseDump, trace, traceAllFrontends } = await import(
  new URL('../packages/analyzer/dist/index.js', import.meta.url).href
)
const { traceContextFor } = await import(new URL('../packages/analyzer/dist/entries/explain.js', import.meta.url).href)
const [name, mode] = process.argv.slice(2)
const size = SIZES.find((each) => each.name === name)
const { input, options } = clusterOf(size, mode)
const { state, plan } = compile(input, options).families[0]
const traceContext = traceContextFor(plan)
const text = print(state, { format: 'save' })

const undecidable = numbers(UNDECIDABLE).map(
  (index) => `-A FORWARD -m set --match-set s${index} src -j ${index % 2 === 0 ? 'ACCEPT' : 'DROP'}`,
)
const firewalls = {
  'source and port; destination': numbers(FIREWALL / 2).flatMap((index) => [
    `-A FORWARD -s 10.${index}.0.0/16 -p tcp -m tcp --dport ${9000 + index} -j ACCEPT`,
    `-A FORWARD -d 172.${index}.0.0/16 -j DROP`,
  ]),
  'sources, in two chains': numbers(FIREWALL / 2).flatMap((index) =>
    ['INPUT', 'FORWARD'].map((chain) => `-A ${chain} -s 203.0.113.${index}/32 -j ACCEPT`),
  ),
}
globalThis.gc()
const dump = dumpWith(undecidable)
const [{ address, port }] = plan.services[0].frontends
const packet = { protocol: 'TCP', origin: 'pod', source: '10.128.77.5', destination: address, destinationPort: port }
const [firstMs] = timed(() => trace(dump, packet, traceContext))
const [traceMs] = timed(() => trace(dump, packet, traceContext))
const [tableMs] = timed(() => traceAllFrontends(dump, { plan, ...traceContext }))
const comparisons = Object.entries(firewalls).flatMap(([rules, lines]) => {
  const other = dumpWith(lines.with(0, lines[0].replace('ACCEPT', 'DROP')))
  const own = dumpWith(lines)
  return [own, other].map((side) => {
    globalThis.gc()
    const [compareMs, { classes, equal }] = timed(() => compare(own, side, traceContext))
    return { rules, compareMs, classes, equal }
  })
})
console.log(JSON.stringify({ name, firstMs, traceMs, tableMs, comparisons, peakRssBytes: peakRss() }))

function numbers(length) {
  return Array.from({ length }, (_, index) => index)
}

/** Returns the dump with further rules at the end of the table filter. */
function dumpWith(lines) {
  const end = text.indexOf('COMMIT', text.indexOf('*filter'))
  return parseDump(text.slice(0, end) + lines.map((line) => `${line}\n`).join('') + text.slice(end)).value.IPv4
}

function timed(work) {
  const before = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(before)
  return [(user + system) / 1000, result]
}

function peakRss() {
  return process.resourceUsage().maxRSS * 1024
}
