import type { Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { formatPathOutcome } from '../../src/explain/format-path-outcome.js'
import { trace } from '../../src/trace/trace.js'

const PACKET: Packet = {
  ...{ origin: 'outside', protocol: 'TCP', source: '198.51.100.1' },
  ...{ destination: '100.64.0.5', destinationPort: 443, inInterface: 'tailscale0' },
}

const outcomeOf = (dump: string) =>
  trace(readDump([dump], { family: 'IPv4' }).IPv4, PACKET, { addresses: ['192.0.2.11'] }).map(formatPathOutcome)

const nat = (...rules: readonly string[]) =>
  `*nat\n:PREROUTING ACCEPT [0:0]\n:ISTIO_PRERT - [0:0]\n:KUBE-PORTALS-CONTAINER - [0:0]\n${rules.join('\n')}\nCOMMIT\n`

describe('formatPathOutcome', () => {
  it.each([
    [
      'a redirection by iptables',
      nat('-A PREROUTING -d 100.64.0.5/32 -p tcp -j REDIRECT --to-ports 30080'),
      'to local port 30080 of the node',
    ],
    [
      'a redirection that keeps the port',
      nat('-A PREROUTING -d 100.64.0.5/32 -p tcp -j REDIRECT'),
      'to local port 443 of the node',
    ],
    [
      'a redirection by nftables',
      'table inet vpn {\n\tchain prerouting {\n\t\ttype nat hook prerouting priority dstnat - 1; policy accept;\n\t\ttcp dport 443 redirect to :30080\n\t}\n}\n',
      'to local port 30080 of the node',
    ],
    [
      'a redirection by a known program',
      nat('-A PREROUTING -j ISTIO_PRERT', '-A ISTIO_PRERT -p tcp -j REDIRECT --to-ports 15006'),
      'to local port 15006 of the node, to the process of Istio',
    ],
    [
      'a redirection of which only the interface suggests a program',
      nat('-A PREROUTING -i tailscale0 -p tcp -j REDIRECT --to-ports 8080'),
      'to local port 8080 of the node',
    ],
    [
      'a redirection by kube-proxy',
      nat(
        '-A PREROUTING -j KUBE-PORTALS-CONTAINER',
        '-A KUBE-PORTALS-CONTAINER -d 100.64.0.5/32 -p tcp -j REDIRECT --to-ports 40007',
      ),
      'to the proxy, at port 40007',
    ],
  ])('names the local port and the program of %s', (_, dump, expected) => {
    expect(outcomeOf(dump)).toEqual([expected])
  })
})
