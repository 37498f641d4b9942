import { toCommands } from '../../../src/commands/to-commands.js'
import type { ToolCommand } from '../../../src/dataplane/netfilter/tool-command.js'
import { createTracker, type Tracker } from '../../../src/tracker/tracker.js'
import { clusterOf, serviceAddress } from '../packets/cluster.js'
import { buildTopology } from '../packets/topology.js'
import { runToolCommands } from '../sandbox/apply-runs.js'
import { type Sandbox, succeeded, within } from '../sandbox/sandbox.js'
import { hostScript } from './packets.js'

// TCP connections of clients that last while mode ipvs does full syncs.

const STREAMS = 4
const OTHERS = 60

/** Sends a number every 20 ms until there is a file, and counts what comes back. */
const STREAM = `
i=0
while [ ! -e /run/stop ]; do i=$((i+1)); echo $i; echo $i > /run/sent-$0; usleep 20000; done |
  socat -t5 - "TCP:$1:80" > /run/received-$0 2> /run/errors-$0
touch /run/ended-$0`

interface StreamCounts {
  readonly sent: number
  readonly received: number
  readonly errors: string
}

export interface IpvsNode {
  readonly tracker: Tracker
  readonly sync: (change?: (command: ToolCommand) => ToolCommand) => Promise<void>
}

/** Runs full syncs on a node of mode ipvs with open connections, and returns what became of these. */
export async function streamsThrough(
  sandbox: Sandbox,
  act: (node: IpvsNode) => Promise<void>,
): Promise<readonly StreamCounts[]> {
  await buildTopology(sandbox)
  const node = within(sandbox, 'node')
  const { services = [], endpointSlices = [], nodes = [], configuration, host } = clusterOf()
  const tracker = createTracker({
    nodeName: 'node',
    families: ['IPv4'],
    host,
    configuration: { ...configuration, mode: 'ipvs' },
  })
  tracker.replace('Node', nodes)
  tracker.replace('Service', services)
  tracker.replace('EndpointSlice', endpointSlices)
  for (let index = 0; index < OTHERS; index++) {
    const metadata = { namespace: 'others', name: `other-${index}` }
    const ports = [{ name: 'tcp', protocol: 'TCP', port: 80 }]
    tracker.upsert({ metadata, spec: { clusterIP: `10.96.8.${index + 1}`, ports } }, 'Service')
    tracker.upsert(
      {
        metadata: { ...metadata, labels: { 'kubernetes.io/service-name': metadata.name } },
        addressType: 'IPv4',
        ports,
        endpoints: [{ addresses: ['10.244.1.11'], nodeName: 'node' }],
      },
      'EndpointSlice',
    )
  }
  let isPrepared = false
  const sync = async (change: (command: ToolCommand) => ToolCommand = (run) => run) => {
    const { patch, result } = tracker.sync()
    if (!isPrepared) succeeded(await node(['sh', '-ec', hostScript(result)]))
    isPrepared = true
    await runToolCommands(node, toCommands(patch).map(change), 'nft')
  }
  await sync()
  for (const pod of ['pod1', 'pod2', 'pod3']) {
    const server = ['socat', 'TCP4-LISTEN:8080,fork,reuseaddr', 'EXEC:cat']
    await sandbox.start(['nsenter', `--net=/run/netns/${pod}`, '--', ...server])
  }
  const address = serviceAddress('clusterIP', 'web', 'IPv4')
  for (let index = 0; index < STREAMS; index++) {
    const stream = ['sh', '-c', STREAM, String(index), address]
    await sandbox.start(['nsenter', '--net=/run/netns/client', '--', ...stream])
  }
  await sandbox.run(['sleep', '2'])
  await act({ tracker, sync })
  await sandbox.run([
    'sh',
    '-c',
    'sleep 1; touch /run/stop; for i in $(seq 30); do [ -e /run/ended-0 ] && [ -e /run/ended-3 ] && break; sleep 1; done',
  ])
  const counts: StreamCounts[] = []
  for (let index = 0; index < STREAMS; index++) {
    const { stdout } = await sandbox.run([
      'sh',
      '-c',
      `cat /run/sent-${index}; wc -l < /run/received-${index}; cat /run/errors-${index}`,
    ])
    const [sent, received, ...errors] = stdout.split('\n')
    counts.push({ sent: Number(sent), received: Number(received), errors: errors.join(' ').trim() })
  }
  return counts
}
