import { describe, expect, it } from 'vitest'
import { type DumpQuestion, diagnoseDump } from './diagnosed-packet.js'

// Rules that a packet reaches only by a jump or a table that the posted part of the rules does not have.

const answersTo = (question: DumpQuestion) =>
  diagnoseDump({ lenient: true, addresses: ['192.0.2.11'], ...question }).map(
    ({ code, summary }) => `${code}: ${summary}`,
  )

/** `iptables -L` of the table filter, without the chain KUBE-SERVICES. */
const LISTED = (rule: string) => `Chain INPUT (policy ACCEPT)
target     prot opt source               destination
KUBE-SERVICES  all  --  anywhere             anywhere             ctstate NEW /* kubernetes service portals */
KUBE-EXTERNAL-SERVICES  all  --  anywhere             anywhere             ctstate NEW /* kubernetes externally-visible service portals */

Chain FORWARD (policy ACCEPT)
target     prot opt source               destination
KUBE-SERVICES  all  --  anywhere             anywhere             ctstate NEW /* kubernetes service portals */

Chain KUBE-EXTERNAL-SERVICES (1 references)
target     prot opt source               destination
${rule}
`

const REJECT =
  'REJECT     tcp  --  anywhere             anywhere             /* shop/cart:http has no endpoints */ ADDRTYPE match dst-type LOCAL tcp dpt:30080 reject-with icmp-port-unreachable'

describe('a rule that rejects packets, next to chains that the listing does not have', () => {
  it('may reject them', () => {
    expect(answersTo({ dump: LISTED(REJECT), to: '192.0.2.11:30080', from: 'outside' })).toEqual([
      'rejectedNoEndpoints: Packets from external clients to 192.0.2.11:30080/TCP may be rejected: kube-proxy on this node knows no usable endpoint of shop/cart:http',
    ])
  })

  it('does not reject packets to another port', () => {
    expect(answersTo({ dump: LISTED(REJECT), to: '192.0.2.11:30081', from: 'outside' })).toEqual([
      'incompleteDump: It is unknown what happens to packets from external clients to 192.0.2.11:30081/TCP: table nat is not in the dump',
    ])
  })

  it('is not the answer if its matches are truncated', () => {
    const dump = LISTED(REJECT.replace(/ADDRTYPE.*/, 'ADDRTYP'))
    expect(answersTo({ dump, to: '192.0.2.11:30080', from: 'outside' })).toEqual([
      'incompleteDump: It is unknown what happens to packets from external clients to 192.0.2.11:30080/TCP: table nat is not in the dump',
    ])
  })

  it('is not the answer next to a rule that sends the packets to a missing Service chain', () => {
    const match = '-d 10.96.3.4/32 -p tcp -m comment --comment'
    const dump = `*nat
-A KUBE-SERVICES ${match} "shop/cart:http cluster IP" -m tcp --dport 80 -j KUBE-SVC-AAAABBBBCCCCDDDD
*filter
-A KUBE-SERVICES ${match} "shop/cart:http has no endpoints" -m tcp --dport 80 -j REJECT --reject-with icmp-port-unreachable
`
    expect(answersTo({ dump, to: '10.96.3.4:80' })).toEqual([
      'incompleteDump: It is unknown what happens to packets from a pod to 10.96.3.4:80/TCP: chain nat/KUBE-SVC-AAAABBBBCCCCDDDD is missing in the dump',
    ])
  })
})

describe('a row of a search that names no chain', () => {
  it.each([
    [
      'REJECT',
      'has no endpoints',
      ' reject-with icmp-port-unreachable',
      'rejectedNoEndpoints',
      'rejected: kube-proxy on this node knows no usable endpoint of shop/cart:http',
    ],
    [
      'DROP  ',
      'has no local endpoints',
      '',
      'droppedNoLocalEndpoints',
      'dropped: kube-proxy knows no usable endpoint of shop/cart:http on this node',
    ],
  ])('is of kube-proxy if its comment shows that a Service %s', (target, why, end, code, fate) => {
    const dump = `# iptables -L -n | grep 192.0.2.77\n${target}     tcp  --  0.0.0.0/0            192.0.2.77           /* shop/cart:http ${why} */ tcp dpt:80${end}\n`
    expect(answersTo({ dump, to: '192.0.2.77:80', from: 'outside' })).toEqual([
      `${code}: Packets from external clients to 192.0.2.77:80/TCP may be ${fate}`,
    ])
  })

  it('is of kube-proxy for a node port, too', () => {
    const dump = `# iptables -L | grep cart\n${REJECT}\n`
    expect(answersTo({ dump, to: '192.0.2.11:30080', from: 'outside' })).toEqual([
      'rejectedNoEndpoints: Packets from external clients to 192.0.2.11:30080/TCP may be rejected: kube-proxy on this node knows no usable endpoint of shop/cart:http',
    ])
  })
})

describe('a listing of table filter with a missing chain', () => {
  it('names the missing table nat before the missing chain', () => {
    const dump = `# iptables -nvL
Chain FORWARD (policy ACCEPT 0 packets, 0 bytes)
 pkts bytes target     prot opt in     out     source               destination
    0     0 KUBE-PROXY-FIREWALL  0    --  *      *       0.0.0.0/0            0.0.0.0/0            ctstate NEW /* kubernetes load balancer firewall */
`
    expect(answersTo({ dump, to: '10.96.3.4:80' })).toEqual([
      'incompleteDump: It is unknown what happens to packets from a pod to 10.96.3.4:80/TCP: table nat is not in the dump',
    ])
  })
})

describe('rules of ipvs mode without its virtual servers', () => {
  const RULES = `Chain KUBE-FIRE-WALL (1 references)
target     prot opt source               destination
KUBE-MARK-MASQ  all  --  0.0.0.0/0            0.0.0.0/0            /* mark MASQ for external traffic policy not local */

Chain KUBE-SERVICES (2 references)
target     prot opt source               destination
KUBE-FIRE-WALL  all  --  0.0.0.0/0            0.0.0.0/0            match-set KUBE-LOAD-BALANCER dst,dst
KUBE-NODE-PORT  tcp  --  0.0.0.0/0            0.0.0.0/0            tcp match-set KUBE-NODE-PORT-TCP dst
`

  it('do not show what happens, and neither does iptables-save', () => {
    const [diagnosis] = diagnoseDump({ dump: RULES, to: '203.0.113.9:80', from: 'outside', lenient: true })
    expect(diagnosis?.summary).toBe(
      'It is unknown what happens to packets from external clients to 203.0.113.9:80/TCP: the virtual servers of ipvs are not in the dump',
    )
    expect(diagnosis?.steps).toEqual([
      { text: 'Take a dump with all tools on the node, as root: kube-rules collect prints the commands' },
    ])
  })

  it('reject packets to an address of a Service that no set has with the port', () => {
    const set = (name: string, type: string, ...members: readonly string[]) =>
      `# ipset list ${name}\nName: ${name}\nType: ${type}\nRevision: 5\nHeader: family inet hashsize 1024 maxelem 65536\nSize in memory: 920\nReferences: 1\nNumber of entries: ${members.length}\nMembers:\n${members.map((member) => `${member}\n`).join('')}`
    const rules = `# iptables -nvL KUBE-IPVS-FILTER
Chain KUBE-IPVS-FILTER (1 references)
 pkts bytes target     prot opt in     out     source               destination
    0     0 RETURN     0    --  *      *       0.0.0.0/0            0.0.0.0/0            match-set KUBE-LOAD-BALANCER dst,dst
   45  2700 REJECT     0    --  *      *       0.0.0.0/0            0.0.0.0/0            ctstate NEW match-set KUBE-IPVS-IPS dst reject-with icmp-port-unreachable
`
    const dump = `${rules}${set('KUBE-LOAD-BALANCER', 'hash:ip,port', '203.0.113.8,tcp:80')}${set('KUBE-IPVS-IPS', 'hash:ip', '203.0.113.9')}# date\n`
    expect(answersTo({ dump, to: '203.0.113.9:443', from: 'outside' })).toEqual([
      'missingRule: Packets from external clients to 203.0.113.9:443/TCP may be rejected: no set in the dump has port 443/TCP at 203.0.113.9',
    ])
    expect(answersTo({ dump, to: '203.0.113.10:443', from: 'outside' })).toEqual([
      expect.stringMatching(/^incompleteDump: It is unknown/),
    ])
  })
})

describe('a rule for a hostPort without the jump to it', () => {
  const dump = `-A CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \\"cbr0\\" id: \\"abc\\"" -m multiport --dports 8080 -j CNI-DN-0123456789abcdef01234
-A CNI-DN-0123456789abcdef01234 -p tcp -m tcp --dport 8080 -j DNAT --to-destination 10.244.1.7:80
`

  it('may change the destination of packets', () => {
    expect(answersTo({ dump, to: '192.0.2.11:8080', from: 'outside' })).toEqual([
      'incompleteDump: Packets from external clients to 192.0.2.11:8080/TCP may reach 10.244.1.7:80 by a rule of CNI portmap (hostPort): no rule in the dump jumps to chain CNI-HOSTPORT-DNAT',
    ])
  })

  it('does not explain packets to a different port', () => {
    expect(answersTo({ dump, to: '192.0.2.11:8081', from: 'outside' })).toEqual([
      expect.stringMatching(/^incompleteDump: It is unknown what happens/),
    ])
  })
})

describe('a listing of ipvs that ends at a virtual server', () => {
  const listing = `IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port           Forward Weight ActiveConn InActConn
TCP  10.96.3.3:80 rr
  -> 10.244.1.3:80                Masq    1      0          0
TCP  10.96.3.4:80 rr persistent 10800
`

  it('does not show that the virtual server has no real servers', () => {
    expect(answersTo({ dump: listing, to: '10.96.3.4:80' })).toEqual([
      'incompleteDump: It is unknown what happens to packets from a pod to 10.96.3.4:80/TCP: the dump has no real server of virtual server 10.96.3.4:80/TCP, but may be incomplete',
    ])
  })

  it('shows it if the next command follows', () => {
    expect(answersTo({ dump: `${listing}root@node:~# date\n`, to: '10.96.3.4:80' })).toEqual([
      'emptyVirtualServer: Packets from a pod to 10.96.3.4:80/TCP may be rejected: their virtual server has no real servers',
    ])
  })
})

describe('a rule for a hostPort without a jump to its chain', () => {
  const CHAIN = 'CNI-DN-0123456789abcdef01234'

  it('may change the destination of packets to the node', () => {
    const dump = `-A ${CHAIN} -p tcp -m tcp --dport 8080 -j DNAT --to-destination 10.244.1.7:80\n`
    expect(answersTo({ dump, to: '192.0.2.11:8080', from: 'outside' })).toEqual([
      `incompleteDump: Packets from external clients to 192.0.2.11:8080/TCP may reach 10.244.1.7:80 by a rule of CNI portmap (hostPort): no rule in the dump jumps to chain ${CHAIN}`,
    ])
    expect(answersTo({ dump, to: '10.96.3.4:8080', from: 'outside' })).toEqual([
      expect.stringMatching(/^incompleteDump: It is unknown what happens/),
    ])
  })

  it('is named if its chain is missing', () => {
    const dump = `-A CNI-HOSTPORT-DNAT -p tcp -m multiport --dports 8080 -j ${CHAIN}\n`
    expect(answersTo({ dump, to: '192.0.2.11:8080', from: 'outside' })).toEqual([
      `incompleteDump: It is unknown where packets from external clients to 192.0.2.11:8080/TCP go: a rule of CNI portmap (hostPort) sends them to chain ${CHAIN}, which is missing in the dump`,
    ])
  })
})

describe('a policy of FORWARD after chains that the listing does not have', () => {
  const listing = (policy: string) => `Chain FORWARD (policy ${policy} 3 packets, 188 bytes)
 pkts bytes target     prot opt in     out     source               destination
   10   600 KUBE-FORWARD  all  --  any    any     anywhere             anywhere             /* kubernetes forwarding rules */
    0     0 ACCEPT     all  --  docker0 docker0  anywhere             anywhere
`
  const dropped = (to: string) =>
    `incompleteDump: Packets from external clients to ${to}/TCP may be dropped by the policy of FORWARD, because no rule there accepts them; it is unknown where they are sent: table nat is not in the dump`

  it('may drop packets to a pod, and to a node port that nat may send to a pod', () => {
    for (const to of ['10.244.1.5:80', '192.0.2.11:30080'])
      expect(answersTo({ dump: listing('DROP'), to, from: 'outside' })).toEqual([dropped(to)])
  })

  it('is no cause if it accepts packets', () => {
    expect(answersTo({ dump: listing('ACCEPT'), to: '10.244.1.5:80', from: 'outside' })).toEqual([
      'incompleteDump: It is unknown what happens to packets from external clients to 10.244.1.5:80/TCP: table nat is not in the dump',
    ])
  })
})

describe('a listing of PREROUTING', () => {
  const listing = (target: string) => `# iptables -t nat -nL PREROUTING
Chain PREROUTING (policy ACCEPT)
target     prot opt source               destination
${target}  all  --  0.0.0.0/0            0.0.0.0/0
`

  it('shows that no rule jumps to the rules of kube-proxy', () => {
    expect(answersTo({ dump: listing('PREROUTING_ZONES'), to: '10.96.3.4:80' })).toEqual([
      'incompleteDump: Packets from a pod to 10.96.3.4:80/TCP may not reach any rule of kube-proxy: no rule of PREROUTING in table nat jumps to KUBE-SERVICES',
    ])
  })

  it('does not show it for packets of the node, or with the jump', () => {
    const unknown = [expect.stringMatching(/^incompleteDump: It is unknown what happens/)]
    expect(answersTo({ dump: listing('PREROUTING_ZONES'), to: '10.96.3.4:80', from: 'node' })).toEqual(unknown)
    expect(answersTo({ dump: listing('KUBE-SERVICES'), to: '10.96.3.4:80' })).toEqual(unknown)
  })
})

describe('a part of the rules for a node port', () => {
  it('is named if the packet leaves the chain of its Service', () => {
    const dump = `-A KUBE-NODEPORTS -p udp -m comment --comment "shop/cart:dns" -m udp --dport 30125 -j KUBE-XLB-AAAABBBBCCCCDDDD
-A KUBE-XLB-AAAABBBBCCCCDDDD -m comment --comment "masquerade LOCAL traffic for shop/cart:dns LB IP" -m addrtype --src-type LOCAL -j KUBE-MARK-MASQ
`
    expect(answersTo({ dump, to: '192.0.2.11:30125', protocol: 'UDP', from: 'outside' })).toEqual([
      'incompleteDump: It is unknown what happens to packets from external clients to 192.0.2.11:30125/UDP: not all of chain nat/KUBE-XLB-AAAABBBBCCCCDDDD is in the dump',
    ])
  })

  it('shows that whole ipvs has no virtual server for the destination, whatever the other tables have', () => {
    const [command, end] = ['root@node:~# ipvsadm -Ln\n', 'root@node:~# date\n']
    const heads = 'IP Virtual Server version 1.2.1 (size=4096)\nProt LocalAddress:Port Scheduler Flags\n'
    const servers = 'TCP  10.96.3.3:80 rr\n  -> 10.244.1.3:80                Masq    1      0          0\n'
    expect(answersTo({ dump: `${command}${heads}${servers}${end}`, to: '10.96.3.9:80' })).toEqual([
      'incompleteDump: It is unknown what happens to packets from a pod to 10.96.3.9:80/TCP: not all tables are in the dump; no virtual server has this address and port',
    ])
    const [part] = answersTo({ dump: servers, to: '10.96.3.9:80' })
    expect(part).not.toContain('no virtual server has')
  })

  it('shows that addresses of ipvs mode are without virtual servers', () => {
    const dump = '5: kube-ipvs0    inet 10.96.3.4/32 scope global kube-ipvs0\n'
    expect(answersTo({ dump, to: '10.96.3.4:80' })).toEqual([
      'incompleteDump: It is unknown what happens to packets from a pod to 10.96.3.4:80/TCP: the virtual servers of ipvs are not in the dump',
    ])
  })

  it('shows the addresses that have the port', () => {
    const dump = `TCP  192.0.2.11:30080 rr
  -> 10.244.0.4:80                Masq    1      0          0
TCP  192.0.2.12:30080 rr
  -> 10.244.0.4:80                Masq    1      0          0
`
    expect(answersTo({ dump, to: '192.0.2.99:30080', from: 'outside' })).toEqual([
      'incompleteDump: It is unknown what happens to packets from external clients to 192.0.2.99:30080/TCP: not all virtual servers are in the dump; it has 30080/TCP only at 192.0.2.11, 192.0.2.12',
    ])
  })
})
