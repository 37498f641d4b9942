// Measures the kernel: a first load by our script, and one replaced endpoint, by our diff and by kube-proxy's method.
// `nftables` selects nftables mode instead of an iptables back end. Requires iptables, nft and network namespaces; it
// changes only private namespaces.
//
// node bench/kernel.mjs [--size NAME …] [--backend nft|legacy|nftables …] [--json]
//
// CPU: the processor time of the tools, which is more reliable than the clock on a busy machine. A row is one load,
// followed by the medians of 5 changes of each kind, in turns. reset: the number of rules, including new ones, whose
// counter is zero after a change; before it, no counter is zero.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { formatTable } from './format-table.mjs'

const { values } = parseArgs({
  options: {
    size: { type: 'string', multiple: true, default: ['1,000 x 10', '5,000 x 10', '10,000 x 10'] },
    backend: { type: 'string', multiple: true, default: ['nft', 'legacy', 'nftables'] },
    json: { type: 'boolean', default: false },
  },
})
const rows = values.backend.flatMap((backend) => values.size.map((size) => run(size, backend)))
console.log(values.json ? JSON.stringify(rows, null, 2) : tableOf(rows))

/** Raises the stack limit, because iptables-nft-save overflows the usual one when it sorts very many chains. */
function run(size, backend) {
  const script = fileURLToPath(new URL('run-kernel.mjs', import.meta.url))
  const asRoot = process.getuid() === 0 ? [] : ['--user', '--map-root-user']
  const namespaces = [...asRoot, '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--']
  const inside = ['sh', '-ec', 'mount -t tmpfs tmpfs /run; ulimit -s unlimited; exec "$@"', 'bench']
  const child = spawnSync('unshare', [...namespaces, ...inside, process.execPath, script, size, backend], {
    encoding: 'utf8',
  })
  if (child.status !== 0) throw new Error(`bench of ${size} with ${backend} failed\n${child.stderr}`)
  return JSON.parse(child.stdout)
}

function tableOf(results) {
  const head = [
    ['services x endpoints', 'back end', 'rules', 'first load s', 'CPU s', 'in one commit s', 'CPU s'],
    [
      'one endpoint: our diff s',
      'CPU s',
      'lines',
      'reset',
      'kube-proxy style s',
      'CPU s',
      'lines',
      'reset',
      'CPU ratio',
    ],
  ].flat()
  return formatTable([head, ...results.map(rowOf)], 2)
}

function rowOf({ size, backend, rules, load, oneCommit, ours, rewrite }) {
  return [
    ...[size, backend, String(rules)],
    ...[load, oneCommit].flatMap((each) => [each?.seconds, each?.cpuSeconds].map((value) => value?.toFixed(2) ?? '-')),
    ...[ours, rewrite].flatMap((each) => [
      ...[each?.seconds, each?.cpuSeconds].map((value) => value?.toFixed(3) ?? '-'),
      ...[each?.lines, each?.reset].map((value) => value ?? '-').map(String),
    ]),
    rewrite === undefined ? '-' : `${(rewrite.cpuSeconds / ours.cpuSeconds).toFixed(1)}x`,
  ]
}
