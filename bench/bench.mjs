// Times full compiles of synthetic clusters, each size in its own process so that the first run is a cold one.
//
//   node bench/bench.mjs [--mode MODE] [--size NAME …] [--smoke] [--json]
//
// cold: the first compile of the process. warm: the median of the next five compiles of the same objects.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { SIZES } from './clusters.mjs'
import { REFERENCE } from './reference.mjs'

const SMOKE = ['10 x 10', '1,000 x 10', 'mixed 100 x 10']
const MEGABYTE = 1024 * 1024

const { values } = parseArgs({
  options: {
    mode: { type: 'string', default: 'iptables' },
    size: { type: 'string', multiple: true },
    smoke: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const wanted = values.size ?? (values.smoke ? SMOKE : SIZES.map(({ name }) => name))
const results = SIZES.filter(({ name }) => wanted.includes(name)).map(({ name }) => run(name, values.mode))
console.log(values.json ? JSON.stringify(results, null, 2) : tableOf(results))

function run(name, mode) {
  const script = fileURLToPath(new URL('run-size.mjs', import.meta.url))
  const child = spawnSync(process.execPath, ['--expose-gc', script, name, mode], { encoding: 'utf8' })
  if (child.status !== 0) throw new Error(`bench of ${name} failed\n${child.stderr}`)
  return { ...JSON.parse(child.stdout), reference: mode === 'iptables' ? REFERENCE.get(name) : undefined }
}

function tableOf(results) {
  const head = [
    ['services x endpoints', 'cold ms', 'compile', 'render', 'warm ms', 'compile', 'render'],
    ['text MB', 'lines', 'result MB', 'peak RSS MB', 'kube-proxy: cold ms', 'warm ms', 'lines'],
  ].flat()
  const rows = [head, ...results.map(rowOf)]
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  return rows.map((row) => row.map((cell, column) => pad(cell, widths[column], column)).join('  ')).join('\n')
}

function rowOf(result) {
  const { reference } = result
  return [
    result.name,
    ms(result.coldCompileMs + result.coldRenderMs),
    ms(result.coldCompileMs),
    ms(result.coldRenderMs),
    ms(result.warmCompileMs + result.warmRenderMs),
    ms(result.warmCompileMs),
    ms(result.warmRenderMs),
    (result.bytes / MEGABYTE).toFixed(2),
    String(result.lines),
    (result.resultHeapBytes / MEGABYTE).toFixed(1),
    (result.peakRssBytes / MEGABYTE).toFixed(0),
    ...(reference ? [ms(reference.coldMs), ms(reference.warmMs), String(reference.lines)] : ['-', '-', '-']),
  ]
}

function pad(cell, width, column) {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width)
}

function ms(value) {
  return value < 10 ? value.toFixed(1) : value.toFixed(0)
}
