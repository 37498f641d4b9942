import type { Origin, Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { diagnosePacket } from '../../src/diagnose/diagnose-packet.js'
import type { Diagnosis } from '../../src/diagnose/diagnosis.js'
import { createExampleSource } from '../../src/explain/example-source.js'
import { createSourceContext, explain } from '../../src/explain/explain.js'
import { annotateOwners } from '../../src/verify/annotate-owners.js'

// Dumps without objects, as they are posted.

interface Question {
  readonly dump: string
  readonly to: string
  readonly protocol?: Packet['protocol']
  readonly from?: Origin
  readonly addresses?: readonly string[] | undefined
}

/** Returns the diagnoses that `kube-rules explain --dump` prints for an IPv4 packet. */
function diagnose({ dump, to, protocol = 'TCP', from = 'pod', addresses }: Question): readonly Diagnosis[] {
  const state = annotateOwners(readDump(dump, { lenient: true }).IPv4)
  const source = createExampleSource(from, createSourceContext(state, { addresses }))
  if (source === undefined) throw new Error('the source of the packet is unknown')
  const [destination = '', port] = to.split(':')
  const packet: Packet = { ...source, protocol, destination, destinationPort: Number(port) }
  return diagnosePacket(explain(state, packet, { addresses }), state, { addresses })
}

/** Returns the codes and summaries of the diagnoses. */
function answersTo(question: Question): readonly string[] {
  return diagnose(question).map(({ code, summary }) => `${code}: ${summary}`)
}

/** The table of kube-proxy in nftables mode with one Service, as `nft list` prints it. */
const NFT_TABLE = `table ip kube-proxy {
	map service-ips {
		type ipv4_addr . inet_proto . inet_service : verdict
		elements = { 10.96.3.4 . tcp . 80 : goto service-ABCDEFGH-shop/cart/tcp/ }
	}

	chain nat-prerouting {
		type nat hook prerouting priority dstnat; policy accept;
		jump services
	}

	chain services {
		ip daddr . meta l4proto . th dport vmap @service-ips
	}

	chain service-ABCDEFGH-shop/cart/tcp/ {
		numgen random mod 1 vmap { 0 : goto endpoint-ABCDEFGH-shop/cart/tcp/__10.244.7.7/8080 }
	}

	chain endpoint-ABCDEFGH-shop/cart/tcp/__10.244.7.7/8080 {
		meta l4proto tcp dnat to 10.244.7.7:8080
	}
}
`

describe('a policy of iptables-nft beside the table of kube-proxy', () => {
  const dump = `table ip filter {
	chain DOCKER-ISOLATION-STAGE-2 {
		oifname "docker0" counter packets 0 bytes 0 drop
	}

	chain FORWARD {
		type filter hook forward priority filter; policy drop;
		iifname "docker0" oifname != "docker0" counter packets 0 bytes 0 jump DOCKER-ISOLATION-STAGE-2
		iifname "docker0" counter packets 0 bytes 0 accept
	}
}
${NFT_TABLE}`

  it('is the cause, and not a rule for the interface of another program', () => {
    const [diagnosis] = diagnose({ dump, to: '10.96.3.4:80', addresses: ['192.0.2.11'] })
    expect(diagnosis).toMatchObject({
      code: 'foreignRule',
      object: 'Service shop/cart',
      rule: 'policy drop',
    })
  })
})

describe('a packet that another program handles before the rules name its Service', () => {
  it('is probably answered by a DNS cache whose rules have no comment', () => {
    const dump = `*raw
:PREROUTING ACCEPT [0:0]
-A PREROUTING -d 10.96.0.10/32 -p udp -m udp --dport 53 -j NOTRACK
COMMIT
*nat
:PREROUTING ACCEPT [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-SVC-TCOU7JCQXEZGVUNU - [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A KUBE-SERVICES -d 10.96.0.10/32 -p udp -m comment --comment "kube-system/kube-dns:dns cluster IP" -m udp --dport 53 -j KUBE-SVC-TCOU7JCQXEZGVUNU
COMMIT
`
    expect(answersTo({ dump, to: '10.96.0.10:53', protocol: 'UDP' })).toEqual([
      'servedByNeighbor: Packets from a pod to 10.96.0.10:53/UDP are probably not for kube-proxy: the DNS cache on this node answers them. This is normal',
    ])
  })

  it('is rejected by a rule of INPUT in ipvs mode', () => {
    const dump = `# ipvsadm -Ln
IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
TCP  10.96.0.1:443 rr
  -> 192.0.2.10:6443              Masq    1      0          0
# ip -o address show dev kube-ipvs0
7: kube-ipvs0    inet 10.96.0.1/32 scope global kube-ipvs0
# iptables-save
*filter
:INPUT ACCEPT [0:0]
-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT
-A INPUT -j REJECT --reject-with icmp-host-prohibited
COMMIT
`
    const [diagnosis, ...others] = diagnose({ dump, to: '10.96.0.1:443', addresses: ['192.0.2.11'] })
    expect(others).toEqual([])
    expect(diagnosis).toMatchObject({
      code: 'foreignRule',
      object: 'the Service at 10.96.0.1:443/TCP',
      rule: '-A INPUT -j REJECT --reject-with icmp-host-prohibited',
      steps: [{ text: 'Find out which program owns the rule, and configure it to accept TCP to 10.96.0.1:443' }],
    })
  })
})
