import { fileURLToPath } from 'node:url'
import type { EndpointSlice, IpFamily, Service } from '@kube-rules/types'
import type { ProxyMode } from '../../../src/targets/modes.js'
import { createTracker } from '../../../src/tracker/tracker.js'
import type { Tracker } from '../../../src/tracker/tracker-types.js'
import { readDump } from '../../support/read-dump.js'
import { clusterOf, serviceAddress } from '../packets/cluster.js'
import { ADDRESSES, buildTopology } from '../packets/topology.js'
import { runToolCommands } from '../sandbox/apply-runs.js'
import { type Sandbox, succeeded, within } from '../sandbox/sandbox.js'
import { nextUpdate } from './controller.js'
import { dumpNode, type NodeKind } from './node.js'
import { type Random, randomOf } from './random.js'

// Sends packets to Services that do not change, while other Services are added, changed and deleted.

interface TrafficOptions extends NodeKind {
  readonly mode: ProxyMode
  readonly updates: number
  /**
   * The number of full updates. Every second full update starts from a dump, and all others start without a known
   * state.
   */
  readonly fullSyncs: number
}

interface TrafficReport {
  readonly requests: { readonly longTcp: number; readonly newTcp: number; readonly udp: number }
  /** The number of failed requests with each error. */
  readonly failed: Readonly<Record<string, number>>
}

const PROGRAM = fileURLToPath(new URL('stream.mjs', import.meta.url))
const FAMILY: IpFamily = 'IPv4'
const STOP = '/run/stop-streams'
const RESULT = '/run/streams'
/** Starts a program without the time limit of commands, and writes its output to a file when it ends. */
const SENDER = 'echo started; text=$("$@" 2>&1); echo "$text" > "$0"'
const PORTS = [
  { pod: 'pod1', port: '8080' },
  { pod: 'pod2', port: '8080' },
  { pod: 'pod3', port: '8080' },
  { pod: 'pod1', port: '5353' },
  { pod: 'pod2', port: '5353' },
] as const
const TOUCHED = 12

export async function trafficThroughUpdates(sandbox: Sandbox, options: TrafficOptions): Promise<TrafficReport> {
  const { mode, backend, updates, fullSyncs } = options
  await buildTopology(sandbox)
  const node = within(sandbox, 'node')
  for (const { pod, port } of PORTS) {
    await sandbox.start([
      'nsenter',
      `--net=/run/netns/${pod}`,
      '--',
      process.execPath,
      PROGRAM,
      'serve',
      '0.0.0.0',
      port,
    ])
  }
  const { services = [], endpointSlices = [], nodes = [], configuration, host } = clusterOf()
  const tracker = createTracker({
    nodeName: 'node',
    families: [FAMILY],
    host,
    configuration: { ...configuration, mode },
  })
  tracker.replace('Service', services)
  tracker.replace('EndpointSlice', endpointSlices)
  tracker.replace('Node', nodes)
  const sync = async (withDump: boolean) => {
    const dump = withDump ? readDump((await dumpNode(node, options)).text) : undefined
    await runToolCommands(node, nextUpdate(tracker, backend, dump).commands, backend)
  }
  await sync(false)

  const web = [serviceAddress('clusterIP', 'web', FAMILY), '80']
  const flow = [serviceAddress('clusterIP', 'flow', FAMILY), '53']
  const send = [process.execPath, PROGRAM, 'send', STOP, ...web, ...flow]
  await sandbox.start(['nsenter', '--net=/run/netns/client', '--', 'sh', '-c', SENDER, RESULT, ...send])
  const random = randomOf(1)
  const every = Math.max(1, Math.floor(updates / fullSyncs))
  for (let index = 0; index < updates; index++) {
    touchOther(tracker, random)
    if (index % every === every - 1) tracker.markFailed()
    await sync(index % (2 * every) === every - 1)
  }
  succeeded(await sandbox.run(['touch', STOP]))
  const { stdout } = await sandbox.run(['sh', '-c', 'until [ -s "$0" ]; do sleep 0.1; done; cat "$0"', RESULT])
  return JSON.parse(stdout)
}

/** Adds, changes or deletes one of the Services that receive no packets. */
export function touchOther(tracker: Tracker, random: Random): void {
  const number = random.below(TOUCHED)
  const metadata = { namespace: 'others', name: `other-${number}` }
  const service: Service = {
    kind: 'Service',
    metadata,
    spec: {
      type: random.oneOf(['ClusterIP', 'NodePort']),
      clusterIP: `10.96.7.${number + 1}`,
      sessionAffinity: random.oneOf(['None', 'ClientIP']),
      ports: [
        { name: 'tcp', protocol: 'TCP', port: 80, nodePort: 31_000 + number },
        { name: 'udp', protocol: 'UDP', port: 53, nodePort: 31_100 + number },
      ],
    },
  }
  const slice: EndpointSlice = {
    kind: 'EndpointSlice',
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': metadata.name } },
    addressType: FAMILY,
    ports: [
      { name: 'tcp', protocol: 'TCP', port: 8080 },
      { name: 'udp', protocol: 'UDP', port: 5353 },
    ],
    endpoints: (['pod1', 'pod2', 'pod3'] as const)
      .filter(() => random.once(2))
      .map((pod) => ({ addresses: [ADDRESSES[pod][FAMILY]], conditions: { ready: true }, nodeName: 'node' })),
  }
  if (random.once(6)) return void tracker.delete(service)
  if (random.once(3)) tracker.upsert(service)
  tracker.upsert(slice)
}
