// Measures comparing the rules of a mode with themselves and with those of the other modes, and one changed endpoint with
// `onlyChanged`, for one size in this process, and prints the figures as JSON:
// `node --expose-gc bench/run-compare.mjs NAME MODE`. Processor time.
import { clusterOf, SIZES, withEndpointReplaced } from './clusters.mjs'

const MODES = ['iptables', 'ipvs', 'nftables']
/** One Service with as many endpoints: nothing of it may cost the square of their number. */
const FAT = { 'one x 100': 100, 'one x 1,000': 1_000 }
const WARM_UP = 20
const RUNS = 41

const { compare, compile, diff } = await import(new URL('../packages/compiler/dist/index.js', import.meta.url).href)
const { surroundingsOf } = await import(new URL('../packages/compiler/dist/entries/explain.js', import.meta.url).href)
const [name, mode] = process.argv.slice(2)
const size = FAT[name] ? { services: 1, endpoints: FAT[name] } : SIZES.find((each) => each.name === name)
const rows = rowsOf()
console.log(JSON.stringify({ name, rows }))

/** Services of a mixed size are compared one by one: it is there for changes of its node ports. */
function rowsOf() {
  if (FAT[name]) return wholeRows()
  if (!size.mixed) return [...wholeRows(), changedRow()]
  return ['ClusterIP', 'NodePort', 'LoadBalancer'].map(changedRow)
}

function wholeRows() {
  const own = compiled(mode)
  const others = FAT[name] ? [mode] : [mode, ...MODES.filter((each) => each !== mode)]
  return others.map((other) => {
    const { state } = compiled(other)
    globalThis.gc()
    const [compareMs, { classes, differences }] = timed(() => compare(own.state, state, surroundingsOf(own.plan)))
    return { sides: `${mode} : ${other}`, compareMs, classes, differences: differences.length }
  })
}

/** The median of changes one after another, as a controller sees them. */
function changedRow(type) {
  let cluster = clusterOf(size, mode)
  const slice = type === undefined ? undefined : middleSliceOf(cluster, type)
  let previous = compile(cluster.input, cluster.options)
  const runs = Array.from({ length: WARM_UP + RUNS }, (_, step) => {
    cluster = withEndpointReplaced(cluster, step, slice)
    const next = compile(cluster.input, { ...cluster.options, previous })
    const [{ state: before }, { state, plan }] = [previous.families[0], next.families[0]]
    const onlyChanged = diff(previous, next).families[0].patch
    previous = next
    return timed(() => compare(before, state, { ...surroundingsOf(plan), onlyChanged }))
  }).slice(WARM_UP)
  const [compareMs, { classes, differences, bounded }] = runs.sort(([a], [b]) => a - b)[RUNS >> 1]
  const sides = `one endpoint replaced${type ? ` (${type})` : ''}${bounded ? '' : ', everything looked at'}`
  return { sides, compareMs, classes, differences: differences.length }
}

/** Of a Service of a type: the first one in the second half. */
function middleSliceOf({ input: { services, endpointSlices } }, type) {
  const service = services.find((each, index) => index >= services.length / 2 && each.spec.type === type)
  const isOfIt = ({ metadata }) => metadata.labels['kubernetes.io/service-name'] === service.metadata.name
  return endpointSlices.findIndex(isOfIt)
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
