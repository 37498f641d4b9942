// Measures one size with one back end, as JSON: `node bench/run-kernel.mjs SIZE BACKEND`, in a namespace of its own.
import { spawnSync } from 'node:child_process'
import { clusterOf, SIZES, withEndpointReplaced } from './clusters.mjs'
import { kubeProxyText } from './kube-proxy-text.mjs'

const RUNS = 5
/** With more chains one commit takes iptables-nft minutes to hours. */
const MOST_SERVICES_IN_ONE_COMMIT = 1000
const FAMILY = { family: 'IPv4' }

const { compile, diff, plan, render } = await import(
  new URL('../packages/compiler/dist/index.js', import.meta.url).href
)
const [name, backend] = process.argv.slice(2)
const size = SIZES.find((each) => each.name === name)
const cluster = clusterOf(size, 'iptables')
const first = compile(cluster.input, cluster.options)
let current = first
let step = 0

const loadSeconds = apply(plan(diff(undefined, first), { backend }))
const rules = countLines(tool('save'), /^-A/)
const ours = []
const rewrite = []
for (let run = 0; run < RUNS; run++) {
  ours.push(changeByDiff())
  rewrite.push(changeByRewriting())
}
const resetByDiff = countResets(changeByDiff)
const resetByRewriting = countResets(changeByRewriting)
const oneCommitSeconds = size.services > MOST_SERVICES_IN_ONE_COMMIT ? undefined : loadInOneCommit()
console.log(
  JSON.stringify({
    size: name,
    backend,
    rules,
    loadSeconds,
    oneCommitSeconds,
    ours: { ...medianOf(ours), reset: resetByDiff },
    rewrite: { ...medianOf(rewrite), reset: resetByRewriting },
  }),
)

function changeByDiff() {
  const [before, after] = nextChange()
  const stages = plan(diff(before, after), { backend })
  const text = stages.map(({ input }) => input).join('')
  return { seconds: apply(stages), lines: countLines(text, /\n/) }
}

function changeByRewriting() {
  const [before, after] = nextChange().map((result) => render(result, FAMILY))
  const text = kubeProxyText(before, after)
  return { seconds: timed(() => tool('restore', ['--noflush', '--counters'], text)), lines: countLines(text, /\n/) }
}

/** Another endpoint gets another address each time. */
function nextChange() {
  const next = withEndpointReplaced(cluster, step++)
  const before = current
  current = compile(next.input, { ...cluster.options, previous: before })
  return [before, current]
}

/** How many rules have a counter of zero after a change, new ones among them: all are set to one before. */
function countResets(change) {
  const counted = tool('save').replace(/^-A/gm, '[1:60] -A')
  tool('restore', ['--counters'], counted)
  change()
  return countLines(tool('save', ['-c']), /^\[0:0\]/)
}

function loadInOneCommit() {
  tool('restore', [], '*filter\nCOMMIT\n*nat\nCOMMIT\n')
  return timed(() => tool('restore', ['--noflush', '--counters'], render(first, FAMILY)))
}

function apply(stages) {
  return timed(() => {
    for (const { tool: program, args, input } of stages) {
      if (!program.endsWith('-restore')) throw new Error(`unexpected: ${program}`)
      tool('restore', args, input)
    }
  })
}

function tool(action, args = [], input = '') {
  const child = spawnSync(`iptables-${backend}-${action}`, args, { input, encoding: 'utf8', maxBuffer: 2 ** 30 })
  if (child.status !== 0) throw new Error(`${action} ${args.join(' ')} failed: ${child.stderr ?? child.error}`)
  return child.stdout
}

function timed(act) {
  const start = performance.now()
  act()
  return (performance.now() - start) / 1000
}

function countLines(text, pattern) {
  return (text.match(new RegExp(pattern.source, 'gm')) ?? []).length
}

function medianOf(runs) {
  return runs.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(runs.length / 2)]
}
