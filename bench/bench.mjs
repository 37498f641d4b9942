// Measures full compiles of synthetic clusters, each size in its own process, so that the first run is cold.
//
// node bench/bench.mjs [--mode MODE] [--size NAME …] [--changes | --verify | --nodes | --trace | --compare | --foreign | --prove] [--smoke]
// [--json]
//
// - cold: the first compile of the process. warm: the median of the next five compiles of the same objects.
// - --changes: measures incremental changes to a cluster instead, each as the median of 41.
// - --verify: measures reading and verifying the dump of a node instead, each as the median of 5.
// - --trace: measures tracing packets instead, as the median of 10,000 and in processor time per packet.
// - --compare: measures comparing two rulesets packet by packet instead, in processor time.
// - --foreign: measures tracing and comparing nodes with rules of other programs instead, in processor time.
// - --prove: measures proving the rules of every mode instead, in processor time.
// - --nodes: measures further nodes of a cluster of 1,000 instead, in processor time.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { SIZES } from './clusters.mjs'
import { formatTable } from './format-table.mjs'
import { REFERENCE } from './reference.mjs'

/** The sizes for `--changes`. */
const CHANGED = ['1,000 x 10', '10,000 x 10', '50,000 x 2']
/** The sizes for `--verify`. */
const VERIFIED = ['1,000 x 10', '10,000 x 10']
/** The sizes for `--nodes`. */
const MANY_NODES = ['1,000 x 10', '5,000 x 10']
/** The sizes for `--trace` and for `--compare`. */
const TRACED = ['1,000 x 10', '10,000 x 10']
const COMPARED = [
  ...['10 x 10', '1,000 x 10', '10,000 x 10', 'mixed 10,000 x 10'],
  ...['20 node ports', '100 node ports', '1,000 node ports', 'one x 100', 'one x 1,000'],
]
/** The sizes for `--prove`. */
const PROVEN = ['1,000 x 10', '10,000 x 10', 'mixed 100 x 10']
/** The sizes for `--foreign`. */
const FOREIGN = ['1,000 x 10']
const SMOKE = ['10 x 10', '1,000 x 10', 'mixed 100 x 10']
const MEGABYTE = 1024 * 1024

const { values } = parseArgs({
  options: {
    mode: { type: 'string', default: 'iptables' },
    size: { type: 'string', multiple: true },
    changes: { type: 'boolean', default: false },
    verify: { type: 'boolean', default: false },
    nodes: { type: 'boolean', default: false },
    trace: { type: 'boolean', default: false },
    compare: { type: 'boolean', default: false },
    foreign: { type: 'boolean', default: false },
    prove: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const all = sizeNames()
const expected = values.size ?? (values.smoke ? SMOKE.filter((name) => all.includes(name)) : all)
const sizes = values.compare ? expected.map((name) => ({ name })) : SIZES.filter(({ name }) => expected.includes(name))
if (values.verify) {
  const results = sizes.map(({ name }) => run('run-verify.mjs', name, values.mode))
  console.log(values.json ? JSON.stringify(results, null, 2) : verifyTable(results))
} else if (values.changes) {
  const results = sizes.map(({ name }) => run('run-changes.mjs', name, values.mode))
  console.log(values.json ? JSON.stringify(results, null, 2) : changesTable(results))
} else if (values.trace) {
  const results = sizes.map(({ name }) => run('run-trace.mjs', name, values.mode))
  console.log(values.json ? JSON.stringify(results, null, 2) : traceTable(results))
} else if (values.compare) {
  const results = sizes.map(({ name }) => run('run-compare.mjs', name, values.mode))
  console.log(values.json ? JSON.stringify(results, null, 2) : compareTable(results))
} else if (values.prove) {
  const results = sizes.map(({ name }) => run('run-prove.mjs', name, values.mode))
  console.log(values.json ? JSON.stringify(results, null, 2) : proofTable(results))
} else if (values.foreign) {
  const results = sizes.map(({ name }) => run('run-foreign.mjs', name, 'iptables'))
  console.log(values.json ? JSON.stringify(results, null, 2) : foreignTable(results))
} else if (values.nodes) {
  const results = sizes.map(({ name }) => run('run-nodes.mjs', name, values.mode))
  console.log(values.json ? JSON.stringify(results, null, 2) : nodesTable(results))
} else {
  const results = sizes.map(({ name }) => ({ ...run('run-size.mjs', name, values.mode), reference: referenceOf(name) }))
  console.log(values.json ? JSON.stringify(results, null, 2) : tableOf(results))
}

function sizeNames() {
  if (values.verify) return VERIFIED
  if (values.trace) return TRACED
  if (values.compare) return COMPARED
  if (values.nodes) return MANY_NODES
  if (values.foreign) return FOREIGN
  if (values.prove) return PROVEN
  return values.changes ? CHANGED : SIZES.map(({ name }) => name)
}

function run(file, name, mode) {
  const script = fileURLToPath(new URL(file, import.meta.url))
  const child = spawnSync(process.execPath, ['--expose-gc', script, name, mode], { encoding: 'utf8' })
  if (child.status !== 0) throw new Error(`bench of ${name} failed\n${child.stderr}`)
  return JSON.parse(child.stdout)
}

function referenceOf(name) {
  return values.mode === 'iptables' ? REFERENCE.get(name) : undefined
}

function changesTable(results) {
  const head = ['services x endpoints', 'change', 'total ms', 'compile', 'diff', 'script', 'changes', 'lines', 'bytes']
  const rows = results
    .flatMap((result) => result.rows)
    .map((row) => [
      row.name,
      row.change,
      ...[row.totalMs, row.compileMs, row.diffMs, row.scriptMs].map((value) => value.toFixed(2)),
      ...[row.changes, row.lines, row.bytes].map(String),
    ])
  const memory = results.map(
    ({ rows: [{ name }], oneResultBytes, twoResultsBytes }) =>
      `${name}: one result ${(oneResultBytes / MEGABYTE).toFixed(1)} MB, two after one change ${(twoResultsBytes / oneResultBytes).toFixed(2)}x`,
  )
  return [formatTable([head, ...rows], 2), ...memory].join('\n')
}

function nodesTable(results) {
  const head = [
    ['services x endpoints', 'one node ms', 'each further ms', '%', 'one result MB', '100 results MB', 'ratio'],
    ['one endpoint: one node ms', '100 nodes ms', 'ratio'],
    ['1% of the Services: first diff ms', 'diff ms', 'kept MB'],
  ].flat()
  const rows = results.map((each) => [
    each.name,
    ms(each.fullMs),
    each.furtherMs.toFixed(2),
    ((100 * each.furtherMs) / each.fullMs).toFixed(1),
    (each.oneBytes / MEGABYTE).toFixed(1),
    (each.manyBytes / MEGABYTE).toFixed(1),
    (each.manyBytes / each.oneBytes).toFixed(2),
    each.oneChangeMs.toFixed(2),
    ms(each.manyChangeMs),
    (each.manyChangeMs / each.oneChangeMs).toFixed(1),
    each.firstDiffMs.toFixed(1),
    each.diffMs.toFixed(1),
    (each.diffBytes / MEGABYTE).toFixed(2),
  ])
  return formatTable([head, ...rows], 1)
}

function traceTable(results) {
  const head = ['services x endpoints', 'mode', 'print ms', 'index ms', 'packet us', 'processor us', 'table ms']
  const rows = results.map((each) => [
    each.name,
    each.mode,
    ms(each.printMs),
    ms(each.indexMs),
    ms(each.medianUs),
    ms(each.processorUs),
    ms(each.reachabilityMs),
  ])
  return formatTable([head, ...rows], 2)
}

function compareTable(results) {
  const head = ['services x endpoints', 'sides', 'ms', 'classes', 'differences']
  const rows = results.flatMap(({ name, rows }) =>
    rows.map((each) => [name, each.sides, ms(each.compareMs), String(each.classes), String(each.differences)]),
  )
  return formatTable([head, ...rows], 2)
}

function proofTable(results) {
  const head = ['services x endpoints', 'mode', 'ms', 'classes', 'verdicts']
  const rows = results.flatMap(({ name, rows }) =>
    rows.map(({ mode, proveMs, classes, verdicts }) => [name, mode, ms(proveMs), String(classes), verdicts]),
  )
  const memory = results.map(({ name, peakBytes }) => `${name}: peak RSS ${(peakBytes / MEGABYTE).toFixed(0)} MB`)
  return [formatTable([head, ...rows], 2), ...memory].join('\n')
}

function foreignTable(results) {
  const head = ['services x endpoints', 'rules of other programs', 'measured', 'ms', 'classes']
  const rows = results.flatMap(({ name, firstMs, traceMs, tableMs, comparisons }) => [
    [name, '500 undecidable', 'first packet', ms(firstMs), ''],
    [name, '500 undecidable', 'next packet', ms(traceMs), ''],
    [name, '500 undecidable', 'reachability table', ms(tableMs), ''],
    ...comparisons.map(({ rules, compareMs, classes, equal }) => [
      name,
      `100: ${rules}`,
      equal ? 'compared with itself' : 'compared with one rule changed',
      ms(compareMs),
      String(classes),
    ]),
  ])
  const memory = results.map(({ name, peakRssBytes }) => `${name}: peak RSS ${(peakRssBytes / MEGABYTE).toFixed(0)} MB`)
  return [formatTable([head, ...rows], 3), ...memory].join('\n')
}

function verifyTable(results) {
  const head = ['services x endpoints', 'dump', 'lines', 'print ms', 'parse ms', 'parse/print', 'verify ms', 'findings']
  const rows = results.flatMap(({ name, lines, printMs, parseMs, rows }) =>
    rows.map(({ what, verifyMs, findings }) => [
      name,
      what,
      String(lines),
      ms(printMs),
      ms(parseMs),
      (parseMs / printMs).toFixed(2),
      ms(verifyMs),
      String(findings),
    ]),
  )
  return formatTable([head, ...rows], 2)
}

function tableOf(results) {
  const head = [
    ['services x endpoints', 'cold ms', 'compile', 'print', 'warm ms', 'compile', 'print'],
    ['text MB', 'lines', 'result MB', 'peak RSS MB', 'kube-proxy: cold ms', 'warm ms', 'lines'],
  ].flat()
  return formatTable([head, ...results.map(rowOf)], 1)
}

function rowOf(result) {
  const { reference } = result
  return [
    result.name,
    ms(result.coldCompileMs + result.coldPrintMs),
    ms(result.coldCompileMs),
    ms(result.coldPrintMs),
    ms(result.warmCompileMs + result.warmPrintMs),
    ms(result.warmCompileMs),
    ms(result.warmPrintMs),
    (result.bytes / MEGABYTE).toFixed(2),
    String(result.lines),
    (result.resultHeapBytes / MEGABYTE).toFixed(1),
    (result.peakRssBytes / MEGABYTE).toFixed(0),
    ...(reference ? [ms(reference.coldMs), ms(reference.warmMs), String(reference.lines)] : ['-', '-', '-']),
  ]
}

function ms(value) {
  return value < 10 ? value.toFixed(1) : value.toFixed(0)
}
