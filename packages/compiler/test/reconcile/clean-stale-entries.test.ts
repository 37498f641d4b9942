import type { Service, ServiceSpec } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/compilation/compile.js'
import type { CompileResult } from '../../src/compilation/compile-result.js'
import type { ConntrackEntry } from '../../src/dataplane/conntrack/ast.js'
import { cleanStaleEntries } from '../../src/reconcile/clean-stale-entries.js'
import type { ProxyMode } from '../../src/targets/modes.js'
import { at, DUAL_STACK, service, slice } from '../support/objects.js'

const EVERYWHERE: ServiceSpec = {
  type: 'LoadBalancer',
  externalIPs: ['198.51.100.1'],
  ports: [{ name: 'dns', protocol: 'UDP', port: 53, nodePort: 30053 }],
}
const STATUS = { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } }
const PORTS = [{ name: 'dns', protocol: 'UDP', port: 5353 }]

function dns(endpoints: Parameters<typeof slice>[0], spec: ServiceSpec = EVERYWHERE, mode: ProxyMode = 'iptables') {
  const named: Service = service(spec, { metadata: { namespace: 'ns1', name: 'web' }, status: STATUS })
  return compile({ services: [named], endpointSlices: [slice(endpoints, { ports: PORTS })] }, { mode })
}

function entry(destination: string, reply: string): ConntrackEntry {
  const [originalDestination, originalDestinationPort] = placeOf(destination)
  const [replySource, replySourcePort] = placeOf(reply)
  const family = originalDestination.includes(':') ? 'IPv6' : 'IPv4'
  return { family, originalDestination, originalDestinationPort, replySource, replySourcePort }
}

function placeOf(text: string): readonly [address: string, port: number] {
  const at = text.lastIndexOf(':')
  return [text.slice(0, at), Number(text.slice(at + 1))]
}

function deletions(result: CompileResult, ...entries: readonly ConntrackEntry[]): readonly string[] {
  return cleanStaleEntries(result, entries).map(({ args }) => args.join(' '))
}

const DELETION = '-D --orig-dst 10.96.0.1 -p udp --orig-port-dst 53 --reply-src 10.244.2.2 --reply-port-src 5353'

describe('cleanStaleEntries', () => {
  const one = dns(at('10.244.2.1'))

  it('deletes the entries of a removed endpoint for all of its clients with one command', () => {
    const gone = entry('10.96.0.1:53', '10.244.2.2:5353')
    expect(cleanStaleEntries(one, [gone, entry('10.96.0.1:53', '10.244.2.1:5353'), gone])).toEqual([
      {
        tool: 'conntrack',
        args: DELETION.split(' '),
        input: '',
        purpose: 'delete stale connections',
        allowFailure: true,
      },
    ])
  })

  it.each(['10.96.0.1:53', '198.51.100.1:53', '203.0.113.1:53', '192.0.2.7:30053'])(
    'deletes the entries of frontend %s unless an endpoint has the reply address',
    (frontend) => {
      expect(deletions(one, entry(frontend, '10.244.2.1:5353'))).toEqual([])
      expect(deletions(one, entry(frontend, '10.244.2.2:5353'))).toHaveLength(1)
      // The first packet arrived when there was no endpoint, so that its destination was not translated.
      expect(deletions(one, entry(frontend, frontend))).toHaveLength(1)
    },
  )

  it('deletes entries with another endpoint port', () => {
    expect(deletions(one, entry('10.96.0.1:53', '10.244.2.1:53'))).toHaveLength(1)
  })

  it('keeps entries of a terminating endpoint that still serves', () => {
    const draining = dns([
      { addresses: ['10.244.2.1'], conditions: { ready: false, serving: true, terminating: true } },
    ])
    expect(deletions(draining, entry('10.96.0.1:53', '10.244.2.1:5353'))).toEqual([])
    const broken = dns([{ addresses: ['10.244.2.1'], conditions: { ready: false, serving: false, terminating: true } }])
    expect(deletions(broken, entry('10.96.0.1:53', '10.244.2.1:5353'))).toHaveLength(1)
  })

  it('keeps entries of addresses without a Service and of a family without Services', () => {
    const others = [entry('10.96.0.1:54', '10.244.2.2:5353'), entry('8.8.8.8:53', '8.8.8.8:53')]
    expect(deletions(one, ...others, entry('fd00:96::1:53', 'fd00:244::9:5353'))).toEqual([])
  })

  it('adds the family to the command if it is IPv6', () => {
    const dual = dns([], { ...DUAL_STACK, ports: [{ name: 'dns', protocol: 'UDP', port: 53 }] })
    expect(deletions(dual, entry('fd00:96::1:53', 'fd00:244::9:5353'))).toEqual([
      '-D --orig-dst fd00:96::1 -p udp --orig-port-dst 53 --reply-src fd00:244::9 --reply-port-src 5353 -f ipv6',
    ])
  })

  it('deletes all entries with one command if conntrack reads commands', () => {
    const entries = [entry('10.96.0.1:53', '10.244.2.3:5353'), entry('10.96.0.1:53', '10.244.2.2:5353')]
    expect(cleanStaleEntries(one, entries, { canBatchConntrack: true })).toEqual([
      expect.objectContaining({
        tool: 'sh',
        args: ['-c', 'cat | conntrack --load-file -'],
        input: `${DELETION}\n${DELETION.replace('10.244.2.2', '10.244.2.3')}\n`,
      }),
    ])
    expect(cleanStaleEntries(one, entries.slice(1), { canBatchConntrack: true })[0]?.args).toEqual(DELETION.split(' '))
    expect(cleanStaleEntries(one, [], { canBatchConntrack: true })).toEqual([])
  })

  it('keeps entries in userspace mode, where a process handles the connections', () => {
    const proxied = dns(at('10.244.2.1'), EVERYWHERE, 'userspace')
    expect(deletions(proxied, entry('10.96.0.1:53', '192.0.2.1:40001'))).toEqual([])
  })
})
