// Measures tracing packets through one size in this process and prints the figures as JSON:
// `node --expose-gc bench/run-trace.mjs NAME MODE`. The packets go to Services across the whole cluster. The figures are
// elapsed time, except for the processor time per packet: it includes garbage collections, which a median does not show.
import { clusterOf, SIZES } from './clusters.mjs'

const PACKETS = 10_000

const { compile, print } = await import(new URL('../packages/compiler/dist/index.js', import.meta.url).href)
const { traceAllFrontends, trace } = await import(new URL('../packages/analyzer/dist/index.js', import.meta.url).href)
const { traceContextFor: traceContextOf } = await import(
  new URL('../packages/analyzer/dist/entries/explain.js', import.meta.url).href
)
const [name, mode] = process.argv.slice(2)
const { input, options } = clusterOf(
  SIZES.find((size) => size.name === name),
  mode,
)
const { state: printed } = compile(input, options).families[0]
const printMs = timeOf(() => print(printed))
const { state, plan } = compile(input, options).families[0]
const traceContext = traceContextOf(plan)
const packets = packetsOf(plan)
globalThis.gc()
const indexMs = timeOf(() => trace(state, packets[0], traceContext))
const start = process.cpuUsage()
const times = packets.map((packet) => timeOf(() => trace(state, packet, traceContext)))
const { user, system } = process.cpuUsage(start)
const processorUs = (user + system) / PACKETS
const reachabilityMs = timeOf(() => traceAllFrontends(state, { plan, ...traceContext }))
const medianUs = 1000 * medianOf(times)
console.log(JSON.stringify({ name, mode, printMs, indexMs, medianUs, processorUs, reachabilityMs }))

/**
 * Builds packets to frontends across the whole plan, in turns from pods, the node and external sources. They are
 * distinct as far as possible.
 */
function packetsOf({ services }) {
  const frontends = services.flatMap(({ id, frontends: own }) =>
    own.map(({ address = '192.168.0.2', port }) => ({
      protocol: id.protocol,
      destination: address,
      destinationPort: port,
    })),
  )
  const sources = [
    { origin: 'pod', source: '10.128.77.5' },
    { origin: 'outside', source: '192.0.2.7' },
    { origin: 'node', source: '192.168.0.2' },
  ]
  return Array.from({ length: PACKETS }, (_, index) => ({
    ...sources[index % sources.length],
    ...frontends[(index * 7919) % frontends.length],
  }))
}

function timeOf(run) {
  const start = performance.now()
  run()
  return performance.now() - start
}

function medianOf(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
