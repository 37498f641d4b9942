import { describe, expect, it } from 'vitest'
import { run } from './support/run.js'

/** Two nodes. The only endpoint of the Service is on the second one, and other nodes drop its packets. */
const CLUSTER = `
apiVersion: v1
kind: Service
metadata: { namespace: shop, name: web }
spec:
  type: NodePort
  clusterIP: 10.96.0.20
  externalTrafficPolicy: Local
  ports: [{ name: http, port: 80, nodePort: 30080 }]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { namespace: shop, name: web-1, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
ports: [{ name: http, port: 8080 }]
endpoints: [{ addresses: [10.244.2.5], nodeName: node-2 }]
---
apiVersion: v1
kind: Node
metadata: { name: node-1 }
status: { addresses: [{ type: InternalIP, address: 192.0.2.11 }] }
---
apiVersion: v1
kind: Node
metadata: { name: node-2 }
status: { addresses: [{ type: InternalIP, address: 192.0.2.12 }] }
`

const ADDRESSES = `1: lo    inet 127.0.0.1/8 scope host lo
2: eth0    inet 192.0.2.12/24 brd 192.0.2.255 scope global eth0
`

const NOTE = 'note: rules of node node-2, because the dump has its address 192.0.2.12; --node selects another\n'

async function dumpOf(mode: string, ...args: readonly string[]): Promise<string> {
  const print = ['print', '-f', 'cluster.yaml', '--node', 'node-2', '--mode', mode, '--format', 'save', '--family', '4']
  return (await run([...print, ...args], { files: { 'cluster.yaml': CLUSTER } })).stdout
}

describe('a dump of one of several nodes', () => {
  it.each(['iptables', 'nftables'])(
    'in %s mode is compared with the rules of the Node that has its address',
    async (mode) => {
      const files = { 'cluster.yaml': CLUSTER, 'node.dump': `${await dumpOf(mode)}${ADDRESSES}` }
      const input = ['-f', 'cluster.yaml', '--dump', 'node.dump', '--mode', mode]
      const verified = await run(['verify', ...input, '--family', '4'], { files })
      expect(verified.stderr).toContain(NOTE)
      expect(verified).toMatchObject({ exitCode: 0, stdout: 'no drift\n' })
      const compared = await run(['compare', ...input, '--family', '4'], { files })
      expect(compared.stderr).toContain(NOTE)
      expect(compared.stdout).not.toContain('differs:')
      const explained = await run(['explain', ...input, '192.0.2.12:30080', '--from', '203.0.113.9'], { files })
      expect(explained.stdout).toContain('=> 10.244.2.5:8080')
      expect(explained.exitCode).toBe(0)
      const other = await run(['verify', ...input, '--family', '4', '--node', 'node-1'], { files })
      expect(other.stderr).not.toContain('because the dump')
      expect(other.exitCode).not.toBe(0)
    },
  )
})
