import type { IpFamily } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/compilation/compile.js'
import { cleanStaleEntries } from '../../src/reconcile/clean-stale-entries.js'
import { parseConntrack } from '../../src/reconcile/parse-conntrack.js'
import { runToolCommands } from './sandbox/apply-runs.js'
import { type CommandExecutor, inNewNamespace } from './sandbox/sandbox.js'
import { useSandbox } from './sandbox/use-sandbox.js'

// Entries of a real conntrack table, without packets.

const ADDRESSES = {
  IPv4: { client: '10.0.0.5', service: '10.96.0.10', node: '192.0.2.1', pods: ['10.244.0.1', '10.244.0.2'] },
  IPv6: { client: 'fd00::5', service: 'fd00:96::10', node: 'fd00:2::1', pods: ['fd00:244::1', 'fd00:244::2'] },
} as const

const ports = [{ name: 'dns', protocol: 'UDP', port: 53, nodePort: 30053 }]
const result = compile({
  services: (['IPv4', 'IPv6'] as const).map((family) => ({
    metadata: { namespace: 'd', name: family.toLowerCase() },
    spec: { type: 'NodePort', clusterIP: ADDRESSES[family].service, ports },
  })),
  endpointSlices: (['IPv4', 'IPv6'] as const).map((family) => ({
    metadata: { namespace: 'd', name: family, labels: { 'kubernetes.io/service-name': family.toLowerCase() } },
    addressType: family,
    ports: [{ name: 'dns', protocol: 'UDP', port: 5353 }],
    endpoints: [{ addresses: [ADDRESSES[family].pods[0]] }],
  })),
})

/** Adds an entry from a client port to each frontend and endpoint, and one to another address. */
async function fill(run: CommandExecutor, family: IpFamily): Promise<void> {
  const { client, service, node, pods } = ADDRESSES[family]
  const to = (destination: string, port: number, reply: string, from: number) => [
    ...[
      'conntrack',
      '-I',
      '-p',
      'udp',
      '-s',
      client,
      '-d',
      destination,
      '--sport',
      String(from),
      '--dport',
      String(port),
    ],
    ...[
      '-r',
      reply,
      '-q',
      client,
      '--reply-port-src',
      reply === service ? '53' : '5353',
      '--reply-port-dst',
      String(from),
    ],
    ...['--timeout', '600'],
  ]
  const commands = [
    ...pods.flatMap((pod, index) => [to(service, 53, pod, 4000 + index), to(node, 30053, pod, 4010 + index)]),
    to(service, 54, pods[1], 4020),
    to(service, 53, service, 4030),
  ]
  for (const command of commands) expect((await run(command)).status).toBe(0)
}

describe.each([true, false])(
  'cleanStaleEntries in the kernel, with conntrack that reads commands: %s,',
  (canBatchConntrack) => {
    const sandboxFor = useSandbox(['conntrack'])

    it('deletes all entries except entries of serving endpoints', async (context) => {
      await inNewNamespace(await sandboxFor(context), async (run) => {
        await fill(run, 'IPv4')
        await fill(run, 'IPv6')
        const listed = async () => {
          const lists = [await run(['conntrack', '-L', '-f', 'ipv4']), await run(['conntrack', '-L', '-f', 'ipv6'])]
          return parseConntrack(lists.map(({ stdout }) => stdout).join(''))
        }
        const before = await listed()
        expect(before).toHaveLength(12)
        await runToolCommands(run, cleanStaleEntries(result, before, { canBatchConntrack }), 'nft')
        const after = await listed()
        const texts = after.map(
          (each) => `${each.originalDestination} ${each.originalDestinationPort} ${each.replySource}`,
        )
        expect(texts.sort()).toEqual(
          (['IPv4', 'IPv6'] as const)
            .flatMap((family) => {
              const { service, node, pods } = ADDRESSES[family]
              return [`${service} 53 ${pods[0]}`, `${node} 30053 ${pods[0]}`, `${service} 54 ${pods[1]}`]
            })
            .sort(),
        )
      })
    })
  },
)
