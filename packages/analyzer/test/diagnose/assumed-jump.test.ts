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

describe('a rule for a hostPort without the jump to it', () => {
  const dump = `-A CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \\"cbr0\\" id: \\"abc\\"" -m multiport --dports 8080 -j CNI-DN-0123456789abcdef01234
-A CNI-DN-0123456789abcdef01234 -p tcp -m tcp --dport 8080 -j DNAT --to-destination 10.244.1.7:80
`

  it('may change the destination of packets', () => {
    expect(answersTo({ dump, to: '192.0.2.11:8080', from: 'outside' })).toEqual([
      'incompleteDump: Packets from external clients to 192.0.2.11:8080/TCP may reach 10.244.1.7:80 by a rule of CNI portmap (hostPort): the dump does not show whether PREROUTING jumps to CNI-HOSTPORT-DNAT',
    ])
  })

  it('is of no interest for another port', () => {
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
      'incompleteDump: It is unknown what happens to packets from a pod to 10.96.3.4:80/TCP: the dump may end before the real servers of virtual server 10.96.3.4:80/TCP',
    ])
  })

  it('shows it if the next command follows', () => {
    expect(answersTo({ dump: `${listing}root@node:~# date\n`, to: '10.96.3.4:80' })).toEqual([
      'emptyVirtualServer: Packets from a pod to 10.96.3.4:80/TCP may be rejected: their virtual server has no real servers',
    ])
  })
})
