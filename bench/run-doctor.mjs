// Measures the checks of `kube-rules doctor` for many nodes of one cluster in this process, as JSON:
// `node bench/run-doctor.mjs MODE [NODES] [dumps]`. With `dumps`, the rules of every node are read from a dump. Times are
// processor time of the process; collecting is not part of them.
import { manyNodesOf } from './clusters.mjs'

const [mode = 'iptables', nodes = '100', dumps] = process.argv.slice(2)
const from = (path) => import(new URL(`../packages/${path}`, import.meta.url).href)
const { compileNodes, print } = await from('compiler/dist/index.js')
const { createDoctor } = await from('application/dist/doctor.js')
const { createNodeFromResult } = await from('application/dist/explain.js')
const { readCurrentBackend } = await from('application/dist/dump.js')

const size = { services: 1_000, endpoints: 10 }
const { input, options } = manyNodesOf(size, mode, Number(nodes))
const cluster = {
  ...input,
  endpoints: [],
  serviceCIDRs: [],
  diagnostics: [],
  labels: new Map(),
  assumed: [],
  notes: [],
}

const doctor = createDoctor()
let textMs = 0
const start = cpuMs()
for (const { nodeName, result } of compileNodes(input, { ...options, mode })) {
  if (dumps === undefined) doctor.add(nodeName, createNodeFromResult(cluster, {}, result), false)
  else {
    const before = cpuMs()
    const text = result.families.map(({ state }) => print(state, { format: 'save' })).join('')
    textMs += cpuMs() - before
    const read = readCurrentBackend([{ name: nodeName, text }])
    doctor.add(nodeName, createNodeFromResult(cluster, {}, result, read), true)
  }
}
const { checked, causes } = doctor.report()
const seconds = (cpuMs() - start - textMs) / 1_000
console.log(JSON.stringify({ mode, nodes: Number(nodes), ...size, ...checked, causes: causes.length, seconds }))

function cpuMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
