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
