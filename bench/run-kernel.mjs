// Measures one size with one back end of iptables, or nftables mode, as JSON: `node bench/run-kernel.mjs SIZE BACKEND`,
// in its own namespace.
import { spawnSync } from 'node:child_process'
import { clusterOf, SIZES, withEndpointReplaced } from './clusters.mjs'
import { kubeProxyText } from './kube-proxy-text.mjs'

const RUNS = 5
/** With more chains a single commit takes iptables-nft minutes to hours. */
const MOST_SERVICES_IN_ONE_COMMIT = 1000
/**
 * A shell script that runs a tool and prints its processor time, in user space and in the kernel, as the last line on
 * standard error.
 */
const WITH_TIMES = '"$0" "$@"; status=$?; times >&2; exit $status'

const { compile, diff, print, toCommands } = await import(
  new URL('../packages/compiler/dist/index.js', import.meta.url).href
)
const [name, backend] = process.argv.slice(2)
const size = SIZES.find((each) => each.name === name)
const isNftables = backend === 'nftables'
const cluster = clusterOf(size, isNftables ? 'nftables' : 'iptables')
const first = compile(cluster.input, cluster.options)
let current = first
let step = 0
/** The processor time of all commands. */
let cpuSeconds = 0

const load = apply(toCommands(diff(undefined, first), { backend }))
const rules = isNftables ? countTable(first) : countLines(tool('save'), /^-A/)
const ours = []
const rewrite = []
for (let run = 0; run < RUNS; run++) {
  ours.push(changeByDiff())
  // In nftables mode kube-proxy also writes only changes, and no rule counts packets.
  if (!isNftables) rewrite.push(changeByRewriting())
}
const resets = isNftables ? [] : [countResets(changeByDiff), countResets(changeByRewriting)]
const oneCommit = isNftables || size.services > MOST_SERVICES_IN_ONE_COMMIT ? undefined : loadInOneCommit()
console.log(
  JSON.stringify({
    size: name,
    backend,
    rules,
    load,
    oneCommit,
    ours: { ...medianOf(ours), reset: resets[0] },
    rewrite: isNftables ? undefined : { ...medianOf(rewrite), reset: resets[1] },
  }),
)

/** Counts rules and elements. */
function countTable({ families: [{ state }] }) {
  const [{ chains, sets }] = state.nftables.tables
  const sum = (lists) => lists.reduce((count, list) => count + list.length, 0)
  return sum(chains.map((chain) => chain.rules)) + sum(sets.map((set) => set.elements))
}

/** Prints the only family. */
function textOf({ families: [{ state }] }) {
  return print(state)
}

function changeByDiff() {
  const [before, after] = nextChange()
  const runs = toCommands(diff(before, after), { backend })
  const text = runs.map(({ input }) => input).join('')
  return { ...apply(runs), lines: countLines(text, /\n/) }
}

function changeByRewriting() {
  const [before, after] = nextChange().map(textOf)
  const text = kubeProxyText(before, after)
  return { ...timed(() => tool('restore', ['--noflush', '--counters'], text)), lines: countLines(text, /\n/) }
}

/** Changes the address of an endpoint, each time of a different one. */
function nextChange() {
  const next = withEndpointReplaced(cluster, step++)
  const before = current
  current = compile(next.input, { ...cluster.options, previous: before })
  return [before, current]
}

/**
 * Counts the rules, including new rules, that have a zero counter after a change. All counters are one before the
 * change.
 */
function countResets(change) {
  const counted = tool('save').replace(/^-A/gm, '[1:60] -A')
  tool('restore', ['--counters'], counted.replace(/(^:KUBE-.*\n)+/gm, outOfOrder))
  change()
  return countLines(tool('save', ['-c']), /^\[0:0\]/)
}

/** Shuffles the chains, because iptables-nft-save takes minutes to sort this many chains in name order. */
function outOfOrder(lines) {
  const reversed = (line) => [...line].reverse().join('')
  return lines.split('\n').filter(Boolean).map(reversed).sort().map(reversed).join('\n').concat('\n')
}

function loadInOneCommit() {
  tool('restore', [], '*filter\nCOMMIT\n*nat\nCOMMIT\n')
  return timed(() => tool('restore', ['--noflush', '--counters'], textOf(first)))
}

function apply(runs) {
  return timed(() => {
    for (const { tool: program, args, input } of runs) {
      if (program === 'nft') execute('nft', args, input)
      else if (program.endsWith('-restore')) tool('restore', args, input)
      else throw new Error(`unexpected: ${program}`)
    }
  })
}

function tool(action, args = [], input = '') {
  return execute(`iptables-${backend}-${action}`, args, input)
}

function execute(program, args, input) {
  const child = spawnSync('sh', ['-c', WITH_TIMES, program, ...args], { input, encoding: 'utf8', maxBuffer: 2 ** 30 })
  if (child.status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${child.stderr ?? child.error}`)
  for (const [, minutes, seconds] of child.stderr
    .trim()
    .split('\n')
    .at(-1)
    .matchAll(/(\d+)m([\d.]+)s/g))
    cpuSeconds += 60 * minutes + Number(seconds)
  return child.stdout
}

/** Measures the elapsed time of an action, and the processor time of its commands. */
function timed(act) {
  const before = cpuSeconds
  const start = performance.now()
  act()
  return { seconds: (performance.now() - start) / 1000, cpuSeconds: cpuSeconds - before }
}

function countLines(text, pattern) {
  return (text.match(new RegExp(pattern.source, 'gm')) ?? []).length
}

function medianOf(runs) {
  return runs.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(runs.length / 2)]
}
