// Demonstrates the library with a sample cluster: prints the outcome of packets to each Service, and the rules.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const SAMPLE = 'fixtures/seed-ngx-nodeport/cluster.yaml'
const root = fileURLToPath(new URL('..', import.meta.url))

function run(command, ...options) {
  const args = ['packages/cli/dist/main.js', command, '-f', SAMPLE, '--mode', 'iptables', ...options]
  return execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
}

console.log(`The Services of ${SAMPLE}, and what happens to packets for them on a node
(kube-rules explain --all):
`)
console.log(run('explain', '--all'))
console.log('The rules by which kube-proxy does that in iptables mode, for IPv4 (kube-rules print):\n')
console.log(run('print', '--family', '4'))
console.log('To read on: README.md. To try your own cluster: node packages/cli/dist/main.js --help')
