import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { openVirtualMachine } from './vm.js'

const BED = fileURLToPath(new URL('../../../../../examples/proxy/dist', import.meta.url))
const EXTRAS = { files: ['node', 'sh', BED], memory: 3072, processors: 2 }
const ARGUMENTS = process.env.KUBE_RULES_SOAK ?? '--no-faults --minutes 0.2 --changes 10 --services 30 --latencies 1'
const SECONDS = process.env.KUBE_RULES_SOAK === undefined ? 600 : 7200
const sandboxFor = useSandbox(['virtual-machine'], undefined, () => openVirtualMachine(SECONDS, EXTRAS))

/** The virtual machine is the node, so that the test bed needs no namespace of its own. */
const SCRIPT = `
for tool in iptables ip6tables; do
  for suffix in '' -restore -save; do ln -s xtables-nft-multi /usr/sbin/$tool$suffix; done
done
KUBE_RULES_BED=1 exec node /opt/dist/soak.mjs --mode ipvs ${ARGUMENTS}
`

it('the example proxy keeps its node in line with the objects in ipvs mode', {
  timeout: SECONDS * 1000,
}, async (context) => {
  if (!existsSync(BED)) return context.skip('examples/proxy is not built: pnpm soak builds it')
  const sandbox = await sandboxFor(context)
  const { stdout, stderr } = await sandbox.run(['sh', '-c', SCRIPT])
  const report = stdout.split('\n').filter((line) => !line.startsWith('{'))
  process.stdout.write(`${report.join('\n')}\n`)
  expect(report, stderr).toContain('passed')
})
