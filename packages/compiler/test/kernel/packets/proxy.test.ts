import type { IpFamily, Packet, Protocol } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { trace } from '../../../../analyzer/src/trace/trace.js'
import { traceContextFor } from '../../../../analyzer/src/trace/trace-context.js'
import { verify } from '../../../../analyzer/src/verify/verify.js'
import { toCommands } from '../../../src/commands/to-commands.js'
import { compile } from '../../../src/compilation/compile.js'
import type { IptablesBackend } from '../../../src/dataplane/tool-options.js'
import { diff } from '../../../src/diff/diff.js'
import { decide } from '../../../src/plan/decide.js'
import { reconcile } from '../../../src/reconcile/reconcile.js'
import { readDump } from '../../support/read-dump.js'
import { runToolCommands } from '../sandbox/apply-runs.js'
import { dumpTables } from '../sandbox/dump.js'
import { type Sandbox, within } from '../sandbox/sandbox.js'
import { BACKENDS, FAMILIES } from '../sandbox/tools.js'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { probe, serve } from './lab.js'
import { ADDRESSES, buildTopology, HOST, type Place } from './topology.js'

// userspace mode: servers on the node replace the proxy process, one at the port of each service port.

const CLUSTER_IPS: Readonly<Record<IpFamily, readonly [string, string]>> = {
  IPv4: ['10.96.0.1', '10.96.0.2'],
  IPv6: ['fd00:96::1', 'fd00:96::2'],
}
const EXTERNAL_IPS: Readonly<Record<IpFamily, string>> = { IPv4: '198.51.100.7', IPv6: '2001:db8:e::7' }
const NODE_PORT = 30080
const PROXY_PORTS = { 'ns/web:http': 40001, 'ns/dns:dns': 40002 }

function resultOf(family: IpFamily) {
  const [web, dns] = CLUSTER_IPS[family]
  return compile(
    {
      services: [
        {
          metadata: { namespace: 'ns', name: 'web' },
          spec: {
            ...{ type: 'NodePort', clusterIP: web, externalIPs: [EXTERNAL_IPS[family]] },
            ports: [{ name: 'http', port: 80, nodePort: NODE_PORT }],
          },
        },
        {
          metadata: { namespace: 'ns', name: 'dns' },
          spec: { clusterIP: dns, ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] },
        },
      ],
      nodes: [
        {
          metadata: { name: 'node' },
          status: { addresses: [{ type: 'InternalIP', address: ADDRESSES.node[family] }] },
        },
      ],
      host: { ...HOST, proxyPorts: PROXY_PORTS, hostIP: ADDRESSES.node[family] },
    },
    { mode: 'userspace', nodeName: 'node', families: [family] },
  )
}

interface SentTo {
  readonly name: string
  readonly from: Place
  readonly to: (family: IpFamily) => string
  readonly port: number
  readonly protocol?: Protocol
  /** The service port that proxies it. */
  readonly taken: keyof typeof PROXY_PORTS
}

const SENT: readonly SentTo[] = (['client', 'pod1', 'node'] as const).flatMap((from): readonly SentTo[] => [
  { name: 'the cluster IP', from, to: (family) => CLUSTER_IPS[family][0], port: 80, taken: 'ns/web:http' },
  {
    name: 'a cluster IP by UDP',
    from,
    to: (family) => CLUSTER_IPS[family][1],
    port: 53,
    protocol: 'UDP',
    taken: 'ns/dns:dns',
  },
  { name: 'the node port', from, to: (family) => ADDRESSES.node[family], port: NODE_PORT, taken: 'ns/web:http' },
  ...(from === 'node'
    ? []
    : [
        {
          name: 'the external IP',
          from,
          to: (family: IpFamily) => EXTERNAL_IPS[family],
          port: 80,
          taken: 'ns/web:http',
        } as const,
      ]),
])

async function buildProxy(sandbox: Sandbox, family: IpFamily, backend: IptablesBackend) {
  await buildTopology(sandbox)
  const result = resultOf(family)
  await runToolCommands(within(sandbox, 'node'), toCommands(diff(undefined, result), { backend }), backend)
  for (const [name, port] of Object.entries(PROXY_PORTS)) await serve(sandbox, 'node', family, [String(port)], name)
  return { result, on: (place: Place) => within(sandbox, place) }
}

describe.each(BACKENDS)('userspace mode with iptables-%s', (backend) => {
  describe.each(FAMILIES)('for %s', (family) => {
    const labFor = useSandbox([`iptables-${backend}`, 'network'], (sandbox) => buildProxy(sandbox, family, backend))

    it.for(SENT)(
      'redirects packets from $from to $name to the process',
      async ({ from, to, port, protocol = 'TCP', taken }, context) => {
        const { result, on } = await labFor(context)
        const packet: Packet = {
          origin: from === 'node' ? 'node' : from === 'client' ? 'outside' : 'pod',
          protocol,
          ...{ source: ADDRESSES[from][family], destination: to(family), destinationPort: port },
          ...(from === 'node' ? {} : { inInterface: from === 'client' ? 'ext' : from }),
        }
        const [observation] = await probe(on(from), [{ packet, count: 4 }])
        expect(observation).toEqual({ answers: { [`${taken} ${packet.source}`]: 4 }, errors: {} })
        for (const { plan, state } of result.families) {
          expect(decide(plan, packet)).toMatchObject({ kind: 'proxy', servicePort: { text: taken } })
          const ends = trace(state, packet, traceContextFor(plan)).map(({ outcome }) => outcome)
          expect(ends).toContainEqual({ kind: 'proxy', port: PROXY_PORTS[taken] })
        }
      },
    )

    it('has no drift after the rules are loaded, and can be removed completely', async (context) => {
      const { result, on } = await labFor(context)
      const dump = await dumpTables(on('node'), family, backend)
      expect(verify(result, readDump(dump, { family })).verdict).toBe('noDrift')
      const others = `*nat\n-A PREROUTING -p tcp -m tcp --dport 9 -j RETURN\nCOMMIT\n`
      const restore = family === 'IPv4' ? `iptables-${backend}-restore` : `ip6tables-${backend}-restore`
      await on('node')([restore, '--noflush'], others)
      await runToolCommands(on('node'), toCommands(diff(result, undefined), { backend }), backend)
      expect(await dumpTables(on('node'), family, backend)).not.toContain('KUBE-')
      await runToolCommands(on('node'), toCommands(reconcile(undefined, result), { backend }), backend)
      const again = await dumpTables(on('node'), family, backend)
      const jumps = again.split('\n').filter((line) => line.startsWith('-A PREROUTING'))
      expect(jumps.map((line) => line.split(' ').at(-1))).toEqual([
        'KUBE-PORTALS-CONTAINER',
        'RETURN',
        'KUBE-NODEPORT-CONTAINER',
      ])
      expect(verify(result, readDump(again, { family })).verdict).toBe('noDrift')
    })
  })
})
