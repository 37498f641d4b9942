import type { Origin, Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { diagnosePacket } from '../../src/diagnose/diagnose-packet.js'
import { explain } from '../../src/explain/explain.js'
import { annotateOwners } from '../../src/verify/annotate-owners.js'
import { type DumpQuestion, diagnoseDump, diagnoseQuestion } from './diagnosed-packet.js'

// Dumps without objects, as they are posted.

/** Returns the codes and summaries of the diagnoses. */
function answersTo(question: DumpQuestion): readonly string[] {
  return diagnoseDump(question).map(({ code, summary }) => `${code}: ${summary}`)
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

const SAVED = (nat: string, filter: string) => `*nat
:PREROUTING ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
${nat}COMMIT
*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
${filter}COMMIT
*mangle
:PREROUTING ACCEPT [0:0]
COMMIT
*raw
:PREROUTING ACCEPT [0:0]
COMMIT
`

const KUBE_NAT = `:KUBE-SERVICES - [0:0]
:KUBE-NODEPORTS - [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A KUBE-SERVICES -m comment --comment "kubernetes service nodeports; NOTE: this must be the last rule in this chain" -m addrtype --dst-type LOCAL -j KUBE-NODEPORTS
`

const ADDRESSES = ['192.0.2.11']

describe('a policy of iptables-nft next to the table of kube-proxy', () => {
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

  it('is the cause instead of a rule that matches an interface of another program', () => {
    const [diagnosis] = diagnoseDump({ dump, to: '10.96.3.4:80', addresses: ['192.0.2.11'] })
    expect(diagnosis).toMatchObject({
      code: 'foreignRule',
      summary: 'Packets from a pod to 10.96.3.4:80/TCP may be dropped by a rule of another program (probably Docker)',
      object: 'Service shop/cart',
      rule: 'policy drop',
    })
  })
})

describe('a policy of INPUT', () => {
  const dump = SAVED(
    `${KUBE_NAT}:KUBE-MARK-MASQ - [0:0]
:KUBE-SVC-AAAABBBBCCCCDDDD - [0:0]
:KUBE-SEP-AAAABBBBCCCCDDDD - [0:0]
-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000
-A KUBE-NODEPORTS -p tcp -m comment --comment "shop/cart:http" -m tcp --dport 30080 -j KUBE-SVC-AAAABBBBCCCCDDDD
-A KUBE-SVC-AAAABBBBCCCCDDDD ! -s 10.244.0.0/16 -d 10.96.3.4/32 -p tcp -m comment --comment "shop/cart:http cluster IP" -m tcp --dport 80 -j KUBE-MARK-MASQ
-A KUBE-SVC-AAAABBBBCCCCDDDD -m comment --comment "shop/cart:http -> 10.244.7.7:8080" -j KUBE-SEP-AAAABBBBCCCCDDDD
-A KUBE-SEP-AAAABBBBCCCCDDDD -p tcp -m comment --comment "shop/cart:http" -m tcp -j DNAT --to-destination 10.244.7.7:8080
`,
    '',
  ).replace(':INPUT ACCEPT', ':INPUT DROP')

  it('is not accused of a packet to a pod only because the addresses of the node are unknown', () => {
    expect(answersTo({ dump, to: '192.0.2.11:30080', from: 'outside' })).toEqual([])
  })

  it('is accused of a packet to an endpoint that may be on the node', () => {
    const onNode = dump.replaceAll('10.244.7.7', '192.0.2.11')
    expect(answersTo({ dump: onNode, to: '192.0.2.11:30080', from: 'outside' })).toEqual([
      expect.stringContaining('foreignRule: Packets from external clients to 192.0.2.11:30080/TCP may be dropped'),
    ])
  })
})

describe('a packet that another program handles before the rules name its Service', () => {
  it('is probably answered by a DNS cache without comments in its rules', () => {
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
    const dump = `# ipvsadm -Sn
-A -t 10.96.0.1:443 -s rr
-a -t 10.96.0.1:443 -r 192.0.2.10:6443 -m -w 1
# ip -o address show dev kube-ipvs0
7: kube-ipvs0    inet 10.96.0.1/32 scope global kube-ipvs0
# iptables-save
*filter
:INPUT ACCEPT [0:0]
-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT
-A INPUT -j REJECT --reject-with icmp-host-prohibited
COMMIT
`
    const [diagnosis, ...others] = diagnoseDump({ dump, to: '10.96.0.1:443', addresses: ['192.0.2.11'] })
    expect(others).toEqual([])
    expect(diagnosis).toMatchObject({
      code: 'foreignRule',
      object: 'the Service at 10.96.0.1:443/TCP',
      rule: '-A INPUT -j REJECT --reject-with icmp-host-prohibited',
      steps: [
        { text: 'Find out which program owns the rule, and configure it to accept TCP to 10.96.0.1:443 on every node' },
      ],
    })
  })
})

describe('a rule of kube-proxy that rejects or drops a packet', () => {
  it('shows that kube-proxy knows no endpoints', () => {
    const dump = SAVED(
      KUBE_NAT,
      `:KUBE-SERVICES - [0:0]
-A FORWARD -m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A KUBE-SERVICES -d 10.96.3.4/32 -p tcp -m comment --comment "shop/cart:http has no endpoints" -m tcp --dport 80 -j REJECT --reject-with icmp-port-unreachable
`,
    )
    const [diagnosis, ...others] = diagnoseDump({ dump, to: '10.96.3.4:80', addresses: ADDRESSES })
    expect(others).toEqual([])
    expect(diagnosis).toMatchObject({
      code: 'rejectedNoEndpoints',
      summary:
        'Packets from a pod to 10.96.3.4:80/TCP are rejected: kube-proxy on this node knows no usable endpoint of shop/cart:http',
      object: 'Service shop/cart',
      steps: [
        { command: 'kubectl -n shop get endpointslices -l kubernetes.io/service-name=cart -o yaml' },
        { text: expect.stringMatching(/^If one of them is ready, the rules are out of date: restart kube-proxy/) },
        { command: 'kubectl -n shop describe svc cart' },
      ],
    })
  })

  it('shows that the node has no endpoint of a Service with policy Local, also by a mark', () => {
    const dump = SAVED(
      `${KUBE_NAT}:KUBE-XLB-AAAABBBBCCCCDDDD - [0:0]
:KUBE-MARK-DROP - [0:0]
-A KUBE-MARK-DROP -j MARK --set-xmark 0x8000/0x8000
-A KUBE-NODEPORTS -p tcp -m comment --comment "shop/cart:http" -m tcp --dport 30080 -j KUBE-XLB-AAAABBBBCCCCDDDD
-A KUBE-XLB-AAAABBBBCCCCDDDD -m comment --comment "shop/cart:http has no local endpoints" -j KUBE-MARK-DROP
`,
      `:KUBE-FIREWALL - [0:0]
-A INPUT -j KUBE-FIREWALL
-A KUBE-FIREWALL -m comment --comment "kubernetes firewall for dropping marked packets" -m mark --mark 0x8000/0x8000 -j DROP
`,
    )
    expect(answersTo({ dump, to: '192.0.2.11:30080', from: 'outside', addresses: ADDRESSES })).toEqual([
      'droppedNoLocalEndpoints: Packets from external clients to 192.0.2.11:30080/TCP are dropped: kube-proxy knows no usable endpoint of shop/cart:http on this node',
    ])
  })

  it('shows that the source ranges exclude the source', () => {
    const dump = SAVED(
      KUBE_NAT,
      `:KUBE-PROXY-FIREWALL - [0:0]
-A FORWARD -m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL
-A KUBE-PROXY-FIREWALL -d 203.0.113.80/32 -p tcp -m comment --comment "shop/cart:http traffic not accepted by KUBE-FW-AAAABBBBCCCCDDDD" -m tcp --dport 80 -j DROP
`,
    )
    expect(answersTo({ dump, to: '203.0.113.80:80', from: 'outside', addresses: ADDRESSES })).toEqual([
      'excludedSource: Packets from external clients to 203.0.113.80:80/TCP are dropped: no source range of shop/cart:http contains 198.51.100.1',
    ])
  })

  it('is named for each map of nftables mode', () => {
    const dump = `table ip kube-proxy {
	set cluster-ips {
		type ipv4_addr
		elements = { 10.96.3.4, 10.96.3.5 }
	}

	map no-endpoint-services {
		type ipv4_addr . inet_proto . inet_service : verdict
		elements = { 10.96.3.5 . tcp . 80 comment "shop/empty:http" : goto reject-chain, 203.0.113.80 . tcp . 80 comment "shop/cart:http" : drop }
	}

	map service-ips {
		type ipv4_addr . inet_proto . inet_service : verdict
		elements = { 10.96.3.4 . tcp . 443 : goto service-ABCDEFGH-shop/cart/tcp/https }
	}

	chain filter-forward {
		type filter hook forward priority -110; policy accept;
		ct state new jump service-endpoints-check
		ct state new jump cluster-ips-check
	}

	chain service-endpoints-check {
		ip daddr . meta l4proto . th dport vmap @no-endpoint-services
	}

	chain cluster-ips-check {
		ip daddr @cluster-ips reject comment "Reject traffic to invalid ports of ClusterIPs"
	}

	chain reject-chain {
		reject
	}

	chain service-ABCDEFGH-shop/cart/tcp/https {
	}
}
table ip filter {
}
`
    const answer = (to: string, from: Origin) => answersTo({ dump, to, from, addresses: ADDRESSES })
    expect(answer('10.96.3.5:80', 'pod')).toEqual([
      expect.stringContaining('are rejected: kube-proxy on this node knows no usable endpoint of shop/empty:http'),
    ])
    expect(answer('203.0.113.80:80', 'outside')).toEqual([
      expect.stringContaining('are dropped: kube-proxy knows no usable endpoint of shop/cart:http on this node'),
    ])
    expect(answer('10.96.3.4:80', 'pod')).toEqual([
      'missingRule: Packets from a pod to 10.96.3.4:80/TCP are rejected: the rules of the node have no port 80/TCP at 10.96.3.4',
    ])
    expect(diagnoseDump({ dump, to: '10.96.3.4:80', addresses: ADDRESSES })[0]?.cause).toBe(
      '10.96.3.4 is an address of a Service, and kube-proxy rejects packets to ports that it does not know there; the rules have 443/TCP of shop/cart:https there',
    )
  })
})

describe('an address of ipvs mode without its port in the sets', () => {
  const dump = `# ipset save
create KUBE-EXTERNAL-IP hash:ip,port family inet hashsize 1024 maxelem 65536
create KUBE-IPVS-IPS hash:ip family inet hashsize 1024 maxelem 65536
add KUBE-IPVS-IPS 203.0.113.9
# ipvsadm -Sn
-A -t 203.0.113.9:80 -s rr
-a -t 203.0.113.9:80 -r 10.244.7.7:8080 -m -w 1
# ip -o address show dev kube-ipvs0
7: kube-ipvs0    inet 203.0.113.9/32 scope global kube-ipvs0
# iptables-save
${SAVED(
  '',
  `:KUBE-IPVS-FILTER - [0:0]
-A INPUT -m comment --comment "kubernetes ipvs access filter" -j KUBE-IPVS-FILTER
-A KUBE-IPVS-FILTER -m set --match-set KUBE-EXTERNAL-IP dst,dst -j RETURN
-A KUBE-IPVS-FILTER -m conntrack --ctstate NEW -m set --match-set KUBE-IPVS-IPS dst -j REJECT --reject-with icmp-port-unreachable
`,
)}`

  it('is rejected, and no cluster IP', () => {
    const [diagnosis] = diagnoseDump({ dump, to: '203.0.113.9:80', from: 'outside', addresses: ADDRESSES })
    expect(diagnosis).toMatchObject({
      code: 'missingRule',
      summary:
        'Packets from external clients to 203.0.113.9:80/TCP are rejected: no set in the dump has port 80/TCP at 203.0.113.9',
      cause:
        '203.0.113.9 is an address of a Service, and kube-proxy rejects packets to ports that it does not know there; ipvs has 80/TCP there',
    })
    expect(diagnosis?.steps[0]).toEqual({
      text: 'Check with kubectl that the Service with address 203.0.113.9 has port 80/TCP',
      command: 'kubectl get services -A | grep -wF 203.0.113.9',
    })
  })
})

describe('a virtual server of ipvs', () => {
  const dumpOf = (servers: string, addresses: readonly string[] = ['10.96.3.4']) => `# ipvsadm -Sn
${servers}
# ip -o address show dev kube-ipvs0
${addresses.map((address) => `7: kube-ipvs0    inet ${address}/32 scope global kube-ipvs0`).join('\n')}
# iptables-save
${SAVED('', '')}`
  const ask = (servers: string, addresses?: readonly string[]) =>
    answersTo({ dump: dumpOf(servers, addresses), to: '10.96.3.4:80', addresses: ADDRESSES })

  it('rejects packets without real servers', () => {
    expect(ask('-A -t 10.96.3.4:80 -s rr')).toEqual([
      'emptyVirtualServer: Packets from a pod to 10.96.3.4:80/TCP are rejected: their virtual server has no real servers',
    ])
  })

  it('rejects packets if all real servers have weight 0', () => {
    expect(ask('-A -t 10.96.3.4:80 -s rr\n-a -t 10.96.3.4:80 -r 10.244.7.7:8080 -m -w 0')).toEqual([
      'weightZero: Packets from a pod to 10.96.3.4:80/TCP are rejected: all real servers of their virtual server have weight 0 (10.244.7.7:8080)',
    ])
  })

  it('gets no packets if kube-ipvs0 does not have its address', () => {
    expect(ask('-A -t 10.96.3.4:80 -s rr\n-a -t 10.96.3.4:80 -r 10.244.7.7:8080 -m -w 1', ['10.96.3.5'])).toEqual([
      'missingRule: Packets from a pod to 10.96.3.4:80/TCP do not reach their virtual server: 10.96.3.4 is missing on interface kube-ipvs0',
    ])
  })

  it('loses packets at a real server that it routes or tunnels them to', () => {
    const routed = '-A -t 10.96.3.4:80 -s rr\n-a -t 10.96.3.4:80 -r 10.244.7.7:8080 -g -w 1'
    expect(ask(routed)).toEqual([
      'outdatedRule: Packets from a pod to 10.96.3.4:80/TCP are lost at 10.244.7.7:8080: ipvs routes them to this real server instead of translating their destination',
    ])
    expect(ask(routed.replace('-g', '-i'))).toEqual([expect.stringContaining('ipvs tunnels them')])
    expect(ask(routed.replace('-g', '-m'))).toEqual([])
    expect(diagnoseDump({ dump: dumpOf(routed), to: '10.96.3.4:80', addresses: ADDRESSES })[0]).toMatchObject({
      object: 'the Service at 10.96.3.4:80/TCP',
      steps: [{ text: expect.stringContaining('Find out which program created the real server') }],
    })
  })

  it('is not of kube-proxy if its address is not on kube-ipvs0', () => {
    const dump = dumpOf('-A -t 192.0.2.50:6443 -s rr\n-a -t 192.0.2.50:6443 -r 192.0.2.12:6443 -g -w 1')
    expect(answersTo({ dump, to: '192.0.2.50:6443', addresses: [...ADDRESSES, '192.0.2.50'] })).toEqual([])
  })

  it('is no cause if its address may be on kube-ipvs0', () => {
    const dump = '# ipvsadm -Sn\n-A -t 10.96.3.4:80 -s rr\n-a -t 10.96.3.4:80 -r 10.244.7.7:8080 -m -w 1\n'
    expect(answersTo({ dump, to: '10.96.3.4:80' })).toEqual([])
  })
})

describe('a packet that no rule handles', () => {
  const nodePort = '-A KUBE-NODEPORTS -p tcp -m comment --comment "shop/cart:http" -m tcp --dport 30080 -j KUBE-SVC-X\n'

  it('has a node port that the rules of the node do not have', () => {
    const dump = SAVED(`${KUBE_NAT}:KUBE-SVC-X - [0:0]\n${nodePort}`, '')
    const answer = (to: string) => answersTo({ dump, to, from: 'outside', addresses: ADDRESSES })
    expect(answer('192.0.2.11:30081')).toEqual([
      'missingRule: Packets from external clients to 192.0.2.11:30081/TCP are not handled by kube-proxy: its rules on the node have no node port 30081/TCP; without objects, it is unknown whether a Service has it',
    ])
    expect(answer('192.0.2.11:22')).toEqual([])
  })

  it('may have a node port of a Service, if the addresses of the node are unknown', () => {
    const dump = SAVED(`${KUBE_NAT}:KUBE-SVC-X - [0:0]\n${nodePort}`, '')
    expect(diagnoseDump({ dump, to: '192.0.2.99:30081', from: 'outside' })).toMatchObject([
      {
        code: 'missingRule',
        summary:
          'Packets from external clients to 192.0.2.99:30081/TCP are not handled by kube-proxy: its rules on the node have no node port 30081/TCP; without objects, it is unknown whether a Service has it',
        cause: expect.stringMatching(/^if a Service has it, kube-proxy has not written its rules, /),
        steps: [{ command: 'kubectl get services -A | grep -wF 30081' }, {}],
      },
    ])
  })

  const whole = (toEndpoint: string) => SAVED(`${KUBE_NAT}:KUBE-SVC-X - [0:0]\n:KUBE-SEP-X - [0:0]\n${toEndpoint}`, '')
  const cart = `-A KUBE-SERVICES -d 10.96.3.4/32 -p tcp -m comment --comment "shop/cart:http cluster IP" -m tcp --dport 80 -j KUBE-SVC-X
-A KUBE-SVC-X -m comment --comment "shop/cart:http -> 10.244.7.7:8080" -j KUBE-SEP-X
-A KUBE-SEP-X -p tcp -m comment --comment "shop/cart:http" -m tcp -j DNAT --to-destination 10.244.7.7:8080
`

  it('has an address that no rule has, and maybe no Service', () => {
    const unknown = {
      code: 'missingRule',
      summary:
        'Packets from a pod to 10.96.3.9:80/TCP are not handled by kube-proxy: its rules on the node do not have 10.96.3.9; without objects, it is unknown whether a Service has this address',
      cause:
        'if a Service has this address, kube-proxy has not written its rules, or another program deleted them; if none has, kube-proxy has no part in these packets',
      steps: [
        {
          text: 'Check with kubectl whether a Service has this address',
          command: 'kubectl get services -A | grep -wF 10.96.3.9',
        },
        { text: 'If one has, its rules are missing: restart kube-proxy on this node, and check the rules again' },
      ],
      object: 'the Service at 10.96.3.9:80/TCP',
      rule: '10.96.3.9:80/TCP',
      ruleStatus: 'missing',
    }
    const dump = whole(cart)
    expect(diagnoseDump({ dump, to: '10.96.3.9:80', addresses: ADDRESSES })).toEqual([unknown])
    expect(diagnoseDump({ dump, to: '10.96.3.9:80' })).toEqual([unknown])
    expect(diagnoseDump({ dump: SAVED(KUBE_NAT, ''), to: '10.96.3.9:80', addresses: ADDRESSES })).toEqual([unknown])
  })

  it('has an address of a Service that the rules have with another port or protocol', () => {
    const summary = (port: string) =>
      `missingRule: Packets from a pod to 10.96.3.4:${port} are not handled by kube-proxy: its rules on the node have 80/TCP of shop/cart:http at 10.96.3.4, not ${port}; without objects, it is unknown whether a Service has this port`
    const dump = whole(cart)
    expect(answersTo({ dump, to: '10.96.3.4:81', addresses: ADDRESSES })).toEqual([summary('81/TCP')])
    expect(answersTo({ dump, to: '10.96.3.4:80', protocol: 'UDP', addresses: ADDRESSES })).toEqual([summary('80/UDP')])
  })

  it('may be served by a program that replaces kube-proxy and keeps its old rules', () => {
    const dump = SAVED(`${KUBE_NAT}:KUBE-SVC-X - [0:0]\n`, ':CILIUM_FORWARD - [0:0]\n-A FORWARD -j CILIUM_FORWARD\n')
    expect(diagnoseDump({ dump, to: '10.96.3.4:80', addresses: ADDRESSES })[0]).toMatchObject({
      code: 'missingRule',
      cause: expect.stringMatching(/^if Cilium serves Services in place of kube-proxy, this is normal; /),
    })
  })

  it('has a loopback address, which serves no node ports in nftables mode', () => {
    const dump = `table ip kube-proxy {
	set nodeport-ips {
		type ipv4_addr
		elements = { 192.0.2.11 }
	}

	map service-nodeports {
		type inet_proto . inet_service : verdict
		elements = { tcp . 30080 : goto external-ABCDEFGH-shop/cart/tcp/http }
	}

	chain nat-output {
		type nat hook output priority dstnat; policy accept;
		ip daddr @nodeport-ips meta l4proto . th dport vmap @service-nodeports
	}

	chain external-ABCDEFGH-shop/cart/tcp/http {
	}
}
`
    expect(answersTo({ dump, to: '127.0.0.1:30080', from: 'node', addresses: ADDRESSES })).toEqual([
      'unservedNodePort: Packets from the node itself to 127.0.0.1:30080/TCP are not handled by kube-proxy: it serves node port 30080/TCP of Service shop/cart at 192.0.2.11, not at 127.0.0.1',
    ])
    expect(answersTo({ dump, to: '127.0.0.1:30081', from: 'node', addresses: ADDRESSES })).not.toEqual(
      expect.arrayContaining([expect.stringContaining('unservedNodePort')]),
    )
  })

  it('has no rules of kube-proxy in the dump, but maybe those of a program that replaces it', () => {
    const cilium = ':CILIUM_FORWARD - [0:0]\n-A FORWARD -j CILIUM_FORWARD\n'
    expect(answersTo({ dump: SAVED('', cilium), to: '10.96.3.4:80', addresses: ADDRESSES })).toEqual([
      'noRules: Packets from a pod to 10.96.3.4:80/TCP are not handled by the rules in the dump: it has no rules of kube-proxy for Services, and Cilium may serve Services in its place',
    ])
    expect(answersTo({ dump: SAVED('', ''), to: '10.96.3.4:80', addresses: ADDRESSES })).toEqual([
      'noRules: Packets from a pod to 10.96.3.4:80/TCP are not handled by the rules in the dump: it has no rules of kube-proxy for Services',
    ])
  })
})

describe('a listing of the chain that rejects packets', () => {
  const listing = `$ sudo iptables -n -L KUBE-SERVICES
Chain KUBE-SERVICES (2 references)
target     prot opt source               destination
REJECT     tcp  --  0.0.0.0/0            10.96.3.4            /* shop/cart:http has no endpoints */ tcp dpt:80 reject-with icmp-port-unreachable
`

  it('is completed by the jumps to it, so that its rule may reject the packet', () => {
    const state = annotateOwners(readDump(listing, { lenient: true }).IPv4)
    const packet: Packet = {
      ...{ origin: 'pod', source: '10.244.1.9', protocol: 'TCP' },
      ...{ destination: '10.96.3.4', destinationPort: 80 },
    }
    const diagnoses = diagnosePacket(explain(state, packet), state)
    expect(diagnoses.map(({ summary }) => summary)).toEqual([
      'Packets from a pod to 10.96.3.4:80/TCP may be rejected: kube-proxy on this node knows no usable endpoint of shop/cart:http',
    ])
  })

  it('is older than objects with endpoints', () => {
    const [diagnosis, ...others] = diagnoseQuestion({
      input: {
        services: [
          {
            metadata: { namespace: 'shop', name: 'cart' },
            spec: { clusterIP: '10.96.3.4', ports: [{ name: 'http', port: 80 }] },
          },
        ],
        endpointSlices: [
          {
            metadata: { namespace: 'shop', name: 'cart-1', labels: { 'kubernetes.io/service-name': 'cart' } },
            addressType: 'IPv4',
            ports: [{ name: 'http', port: 8080 }],
            endpoints: [{ addresses: ['10.244.7.7'] }],
          },
        ],
        nodes: [
          { metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.0.2.11' }] } },
        ],
      },
      to: '10.96.3.4:80',
      from: 'pod',
      dump: () => listing,
    })
    expect(others).toEqual([])
    expect(diagnosis).toMatchObject({
      code: 'outdatedRule',
      summary:
        'On node node-1, packets from a pod to 10.96.3.4:80/TCP may be rejected: kube-proxy on the node knows no usable endpoint of shop/cart:http, although the objects have 10.244.7.7:8080',
      object: 'Service shop/cart',
      steps: [
        { text: expect.stringMatching(/^Restart kube-proxy on node node-1/), change: { kind: 'rewriteRules' } },
        { text: expect.stringMatching(/^If that does not help, take a new dump/), change: { kind: 'rewriteRules' } },
      ],
    })
    for (const { outcome } of diagnosis?.steps ?? []) expect(outcome).toContain('the packets reach 10.244.7.7:8080')
  })
})

describe('a packet that a partial dump does not decide about', () => {
  const summaryOf = (question: DumpQuestion) => diagnoseDump({ ...question, lenient: true })[0]

  it('is sent to a chain that the dump does not have', () => {
    const answer = summaryOf({
      dump: `*nat\n-A KUBE-NODEPORTS -p tcp -m comment --comment "shop/cart:http" -m tcp --dport 30080 -j KUBE-EXT-AAAAAAAAAAAAAAAA\n...\nCOMMIT\n`,
      to: '192.0.2.11:30080',
      from: 'outside',
    })
    expect(answer).toMatchObject({
      code: 'incompleteDump',
      summary:
        'It is unknown what happens to packets from external clients to 192.0.2.11:30080/TCP: chain nat/KUBE-EXT-AAAAAAAAAAAAAAAA is missing in the dump',
      object: 'Service shop/cart',
      ruleStatus: 'in table nat, the last rule in the dump that matches',
    })
    expect(answer?.steps.map(({ command }) => command)).toEqual(['iptables-save'])
  })

  it('may be dropped by the policy of FORWARD, after the table that the dump does not have', () => {
    const answer = summaryOf({
      dump: `Chain FORWARD (policy DROP 3 packets, 180 bytes)
target     prot opt source               destination
DOCKER-USER  all  --  0.0.0.0/0            0.0.0.0/0
`,
      to: '192.0.2.11:30080',
      from: 'outside',
    })
    expect(answer).toMatchObject({
      summary:
        'Packets from external clients to 192.0.2.11:30080/TCP may be dropped by a rule of another program (probably Docker); it is unknown where they are sent: table nat is not in the dump',
      rule: '-P FORWARD DROP',
    })
  })

  it('are dropped by the policy of FORWARD after their translation', () => {
    const dump = `*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-SVC-AAAABBBBCCCCDDDD - [0:0]
:KUBE-SEP-EEEEFFFFGGGGHHHH - [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A KUBE-SERVICES -d 10.96.7.7/32 -p tcp -m comment --comment "shop/cart:http cluster IP" -m tcp --dport 80 -j KUBE-SVC-AAAABBBBCCCCDDDD
-A KUBE-SVC-AAAABBBBCCCCDDDD -m comment --comment "shop/cart:http -> 10.244.7.7:8080" -j KUBE-SEP-EEEEFFFFGGGGHHHH
-A KUBE-SEP-EEEEFFFFGGGGHHHH -p tcp -m comment --comment "shop/cart:http" -m tcp -j DNAT --to-destination 10.244.7.7:8080
COMMIT
*filter
:INPUT ACCEPT [0:0]
:FORWARD DROP [9:540]
:OUTPUT ACCEPT [0:0]
COMMIT
`
    const answer = summaryOf({ dump, to: '10.96.7.7:80', addresses: ['192.0.2.11'] })
    expect(answer).toMatchObject({
      summary:
        'Packets from a pod to 10.96.7.7:80/TCP are dropped by the policy of FORWARD, because no rule there accepts them',
      rule: '-P FORWARD DROP',
    })
    // The same packets arrive once a rule accepts them.
    const accepted = dump.replace(
      ':OUTPUT ACCEPT [0:0]\nCOMMIT\n',
      ':OUTPUT ACCEPT [0:0]\n-A FORWARD -d 10.244.7.7/32 -p tcp -m tcp --dport 8080 -j ACCEPT\nCOMMIT\n',
    )
    expect(accepted).not.toBe(dump)
    expect(diagnoseDump({ dump: accepted, to: '10.96.7.7:80', addresses: ['192.0.2.11'] })).toEqual([])
  })

  it('may be dropped because of its mark, by a rule of the kubelet that a search for the Service does not find', () => {
    const answer = summaryOf({
      dump: `$ iptables-save | grep shop/cart
-A KUBE-NODEPORTS -p tcp -m comment --comment "shop/cart:http" -m tcp --dport 30080 -j KUBE-XLB-AAAABBBBCCCCDDDD
-A KUBE-XLB-AAAABBBBCCCCDDDD -m comment --comment "shop/cart:http has no local endpoints" -j KUBE-MARK-DROP
`,
      to: '192.0.2.11:30080',
      from: 'outside',
    })
    expect(answer?.summary).toBe(
      'Packets from external clients to 192.0.2.11:30080/TCP may be dropped: kube-proxy knows no usable endpoint of shop/cart:http on this node',
    )
    expect(answer?.rule).toContain('has no local endpoints')
    expect(answer?.steps[1]?.text).toMatch(/^If one of them is on this node, check that kube-proxy uses the name/)
  })

  it('is answered by a DNS cache that excludes it from connection tracking, whatever the nat table is', () => {
    const answer = summaryOf({
      dump: '*raw\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -d 10.96.0.10/32 -p udp -m udp --dport 53 -j NOTRACK\n...\n',
      to: '10.96.0.10:53',
      protocol: 'UDP',
    })
    expect(answer?.summary).toBe(
      'Packets from a pod to 10.96.0.10:53/UDP are probably not for kube-proxy: the DNS cache on this node answers them. This is normal',
    )
  })

  it('is handled by a virtual server if the dump has only the sets of ipvs mode', () => {
    const answer = summaryOf({
      dump: 'Name: KUBE-CLUSTER-IP\nType: hash:ip,port\nMembers:\n10.96.3.4,tcp:80\n',
      to: '10.96.3.4:80',
    })
    expect(answer?.summary).toBe(
      'It is unknown what happens to packets from a pod to 10.96.3.4:80/TCP: the virtual servers of ipvs are not in the dump',
    )
  })

  it('is not reported if the dump sends it to an endpoint', () => {
    const dump = `*nat
-A KUBE-SERVICES -d 10.96.3.4/32 -p tcp -m tcp --dport 80 -j KUBE-SVC-AAAAAAAAAAAAAAAA
-A KUBE-SVC-AAAAAAAAAAAAAAAA -j KUBE-SEP-BBBBBBBBBBBBBBBB
-A KUBE-SEP-BBBBBBBBBBBBBBBB -p tcp -m tcp -j DNAT --to-destination 10.244.7.7:8080
...
COMMIT
`
    expect(summaryOf({ dump, to: '10.96.3.4:80' })).toBeUndefined()
  })
})

describe('a packet that returns to the pod that sent it', () => {
  const servers = `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
TCP  10.96.3.4:80 rr
  -> 10.244.7.7:8080              Masq    1      0          0
`
  const answersFrom = (source: string) => {
    const state = annotateOwners(readDump(servers, { lenient: true }).IPv4)
    const packet: Packet = { origin: 'pod', source, protocol: 'TCP', destination: '10.96.3.4', destinationPort: 80 }
    return diagnosePacket(explain(state, packet), state).map(({ code, summary }) => `${code}: ${summary}`)
  }

  it('may need a rule that the dump does not show', () => {
    expect(answersFrom('10.244.7.7')).toEqual([
      'hairpinNotMasqueraded: Packets from 10.244.7.7 to 10.96.3.4:80/TCP may return to their sender: the dump does not show whether a rule masquerades them',
    ])
  })

  it('is not reported for another pod', () => {
    expect(answersFrom('10.244.7.8')).toEqual([])
  })
})
