import { createTracker } from '../../../src/tracker/tracker.js'
import type { Tracker } from '../../../src/tracker/tracker-types.js'
import { readDump } from '../../support/read-dump.js'
import { clusterOf, serviceAddress } from '../packets/cluster.js'
import { buildTopology } from '../packets/topology.js'
import { nextUpdate } from '../recovery/controller.js'
import { dumpNode, type NodeKind } from '../recovery/node.js'
import { runToolCommands } from '../sandbox/apply-runs.js'
import { type Sandbox, succeeded, within } from '../sandbox/sandbox.js'
import { hostScript } from './packets.js'

const KIND: NodeKind = { backend: 'nft', ipvs: 'whole' }
const NUMBERS = ['0', '1', '2', '3']

/** Sends a number every 20 ms until a file exists, and counts the answers. */
const CLIENT = `
i=0
while [ ! -e /run/stop ]; do i=$((i+1)); echo $i; echo $i > /run/sent-$0; usleep 20000; done |
  socat -t5 - "TCP:$1:80" > /run/received-$0 2> /run/errors-$0
touch /run/ended-$0`

/** Stops the clients, and prints a line for each client that lost an answer or its connection. */
const COUNT = `
sleep 1
touch /run/stop
for client in ${NUMBERS.join(' ')}; do
  for second in $(seq 30); do [ -e /run/ended-$client ] && break; sleep 1; done
  sent=$(cat /run/sent-$client)
  received=$(wc -l < /run/received-$client)
  [ "$sent" -gt 20 ] && [ "$sent" = "$received" ] || echo "$received of $sent: $(tail -n 1 /run/errors-$client)"
done`

interface IpvsNode {
  readonly tracker: Tracker
  /** Updates the node; with `withDump`, the update starts from a dump. */
  readonly sync: (withDump?: boolean) => Promise<void>
}

/**
 * Opens TCP connections to a Service of a node in ipvs mode, calls `act`, and returns a line for each connection that
 * lost an answer or was closed.
 */
export async function connectionsLostBy(
  sandbox: Sandbox,
  act: (node: IpvsNode) => Promise<void>,
): Promise<readonly string[]> {
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
  const sync = async (withDump = false) => {
    const dump = withDump ? readDump((await dumpNode(node, KIND)).text) : undefined
    const { result, commands } = nextUpdate(tracker, KIND.backend, dump)
    succeeded(await node(['sh', '-ec', hostScript(result)]))
    await runToolCommands(node, commands, KIND.backend)
  }
  await sync()
  for (const pod of ['pod1', 'pod2', 'pod3']) {
    await sandbox.start([
      ...['nsenter', `--net=/run/netns/${pod}`, '--'],
      ...['socat', 'TCP4-LISTEN:8080,fork,reuseaddr', 'EXEC:cat'],
    ])
  }
  for (const number of NUMBERS) {
    const client = ['sh', '-c', CLIENT, number, serviceAddress('clusterIP', 'web', 'IPv4')]
    await sandbox.start(['nsenter', '--net=/run/netns/client', '--', ...client])
  }
  await sandbox.run(['sleep', '2'])
  await act({ tracker, sync })
  const { stdout } = await sandbox.run(['sh', '-c', COUNT])
  return stdout.split('\n').filter(Boolean)
}
