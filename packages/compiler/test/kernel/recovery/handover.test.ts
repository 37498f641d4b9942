import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { toCommands } from '../../../src/commands/to-commands.js'
import type { ToolCommand } from '../../../src/dataplane/netfilter/tool-command.js'
import { createTracker } from '../../../src/tracker/tracker.js'
import { readDump } from '../../support/read-dump.js'
import {
  inputOf,
  optionsOf,
  type RecordedCase,
  type RecordedStep,
  recordedCasesNamed,
} from '../../support/recorded-cases.js'
import { buildTopology } from '../packets/topology.js'
import { runToolCommands } from '../sandbox/apply-runs.js'
import { requireCapabilities } from '../sandbox/capabilities.js'
import { openSandbox, type Sandbox, succeeded, within } from '../sandbox/sandbox.js'
import { dumpNode, linesWithout, type NodeKind } from './node.js'
import { loadRecorded, type RecordedRules } from './recorded-load.js'

// A node goes from kube-proxy to kube-rules and back, under traffic. The rules of kube-proxy are recorded. The cluster is
// that of the cases `seed-saythx-redis`: a Service with a node port has one endpoint, then two, then one.

const PROGRAM = fileURLToPath(new URL('stream.mjs', import.meta.url))
const NODE_ADDRESS = '192.168.0.2'
const NODE_PORT = '31269'
const DNS = '10.96.0.10'
/** The addresses and ports of the endpoints of both Services. */
const SERVED = [
  ['10.32.0.2', '6379'],
  ['10.32.0.3', '6379'],
  ['10.32.0.1', '53'],
  ['10.32.0.2', '53'],
] as const
const [STOP, RESULT] = ['/run/stop-streams', '/run/streams']
const ROUNDS = 3

const GATE = { NFTablesProxyMode: true }

type Recorded = RecordedCase<RecordedRules>

const RECORDED = recordedCasesNamed<RecordedRules>(/seed-saythx-redis(?!.*ipvs)/)
const KINDS = RECORDED.flatMap((recorded) => {
  const isNftables = recorded.steps[0]?.expected.nft !== undefined
  const backends = isNftables ? (['nft'] as const) : (['nft', 'legacy'] as const)
  return backends.map((backend) => ({ title: `${recorded.name}, ${backend}`, recorded, backend }))
})

describe.skipIf(KINDS.length === 0)('a handover between kube-proxy and kube-rules', () => {
  it.for(KINDS)(
    'changes no rule and interrupts no request in both directions: $title',
    async ({ recorded, backend }, context) => {
      await requireCapabilities(context, ['iptables-nft', 'iptables-legacy', 'nft', 'network', 'conntrack'])
      const sandbox = openSandbox()
      try {
        const kind: NodeKind = { backend, ipvs: 'ignored' }
        const { node, stop } = await startNode(sandbox)
        const [first] = recorded.steps as readonly [RecordedStep<RecordedRules>]
        await loadRecorded(node, first.expected, backend)
        const report = await stop(async () => {
          for (let round = 0; round < ROUNDS; round++) {
            const before = (await dumpNode(node, kind)).parts
            expect(await runOurs(node, kind, recorded)).toEqual([])
            await loadRecorded(node, first.expected, backend)
            const after = (await dumpNode(node, kind)).parts
            expect([linesWithout(before, after), linesWithout(after, before)]).toEqual([[], []])
          }
        })
        expect(report.failed).toEqual({})
        for (const count of Object.values(report.requests)) expect(count).toBeGreaterThan(8)
      } finally {
        await sandbox.close()
      }
    },
  )
})

/** Builds a node with pods that answer. `stop` returns the results of the requests during a change. */
async function startNode(sandbox: Sandbox) {
  await buildTopology(sandbox)
  const node = within(sandbox, 'node')
  const pod = within(sandbox, 'pod1')
  succeeded(await node(['ip', 'address', 'add', `${NODE_ADDRESS}/24`, 'dev', 'ext']))
  for (const address of new Set(SERVED.map(([address]) => address))) {
    succeeded(await pod(['ip', 'address', 'add', `${address}/32`, 'dev', 'eth0']))
    succeeded(await node(['ip', 'route', 'add', `${address}/32`, 'dev', 'pod1']))
  }
  for (const [address, port] of SERVED)
    await sandbox.start(['nsenter', '--net=/run/netns/pod1', '--', process.execPath, PROGRAM, 'serve', address, port])
  const stop = async (change: () => Promise<void>) => {
    const script = 'echo started; text=$("$@" 2>&1); echo "$text" > "$0"'
    const send = [process.execPath, PROGRAM, 'send', STOP, NODE_ADDRESS, NODE_PORT, DNS, '53']
    await sandbox.start(['nsenter', '--net=/run/netns/client', '--', 'sh', '-c', script, RESULT, ...send])
    await change()
    succeeded(await sandbox.run(['touch', STOP]))
    const { stdout } = await sandbox.run(['sh', '-c', 'until [ -s "$0" ]; do sleep 0.1; done; cat "$0"', RESULT])
    return JSON.parse(stdout) as { readonly requests: Readonly<Record<string, number>>; readonly failed: object }
  }
  return { node, stop }
}

/**
 * Starts a tracker from a dump of the node, and updates the node for all steps. Returns the commands of the start: the
 * takeover itself.
 */
async function runOurs(
  node: ReturnType<typeof within>,
  kind: NodeKind,
  recorded: Recorded,
): Promise<readonly ToolCommand[]> {
  const [first] = recorded.steps as readonly [RecordedStep]
  const { families, ...options } = optionsOf(recorded, first)
  const tracker = createTracker({ ...options, families: families ?? [], host: recorded.host })
  tracker.resync(readDump((await dumpNode(node, kind)).text))
  const updates: (readonly ToolCommand[])[] = []
  for (const step of recorded.steps) {
    const { services = [], endpointSlices = [], nodes = [], configuration } = inputOf(step, undefined)
    tracker.replace('Service', services)
    tracker.replace('EndpointSlice', endpointSlices)
    tracker.replace('Node', nodes)
    // The cases of 1.30 were recorded with the gate of the mode.
    const featureGates = configuration?.mode === 'nftables' && recorded.kubernetesVersion === undefined && GATE
    tracker.replace('KubeProxyConfiguration', [{ ...configuration, ...(featureGates && { featureGates }) }])
    const commands = toCommands(tracker.sync().patch, { backend: kind.backend, keepsConnections: true })
    await runToolCommands(node, commands, kind.backend)
    tracker.markApplied()
    updates.push(commands)
  }
  expect(updates.slice(1).every((commands) => commands.length > 0)).toBe(true)
  return updates[0] ?? []
}
