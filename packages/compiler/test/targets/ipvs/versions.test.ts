import { expect, it } from 'vitest'
import { compile } from '../../../src/compilation/compile.js'
import { printFamily } from '../../support/print-family.js'

/** The last version before each change of the text, and 1.30. */
const VERSIONS: Readonly<Record<string, string>> = {
  a: '1.14',
  b: '1.16.0',
  c: '1.18.5',
  d: '1.18',
  e: '1.19',
  f: '1.21',
  g: '1.22',
  h: '1.23',
  i: '1.24',
  j: '1.25',
  k: '1.26',
  l: '1.28',
  m: '1.29',
  n: '1.30',
}

// The lines that differ between versions, for one Service: a load balancer with policy Local, source ranges, an
// external IP, and node ports over TCP and SCTP. Its endpoint is on the node. The letters before a line are the
// versions that write it.
const TEXT = `
··cdefghijklmn create KUBE-EXTERNAL-IP-LOCAL hash:ip,port family inet hashsize 1024 maxelem 65536
·bcdefghijklmn create KUBE-NODE-PORT-SCTP-HASH hash:ip,port family inet hashsize 1024 maxelem 65536
·bcdefghijklmn create KUBE-NODE-PORT-LOCAL-SCTP-HASH hash:ip,port family inet hashsize 1024 maxelem 65536
·····fghijklmn create KUBE-HEALTH-CHECK-NODE-PORT bitmap:port range 0-65535
··········klmn create KUBE-IPVS-IPS hash:ip family inet hashsize 1024 maxelem 65536
a············· create KUBE-NODE-PORT-SCTP bitmap:port range 0-65535
a············· create KUBE-NODE-PORT-LOCAL-SCTP bitmap:port range 0-65535
····efghijklmn add KUBE-EXTERNAL-IP-LOCAL 198.51.100.1,sctp:90
····efghijklmn add KUBE-EXTERNAL-IP-LOCAL 198.51.100.1,tcp:80
abcd·········· add KUBE-EXTERNAL-IP 198.51.100.1,sctp:90
abcd·········· add KUBE-EXTERNAL-IP 198.51.100.1,tcp:80
·bcdef········ add KUBE-NODE-PORT-SCTP-HASH 127.0.0.1,sctp:30090
·bcdefghijklmn add KUBE-NODE-PORT-SCTP-HASH 192.168.0.2,sctp:30090
·bcdef········ add KUBE-NODE-PORT-LOCAL-SCTP-HASH 127.0.0.1,sctp:30090
·bcdefghijklmn add KUBE-NODE-PORT-LOCAL-SCTP-HASH 192.168.0.2,sctp:30090
·····fghijklmn add KUBE-HEALTH-CHECK-NODE-PORT 32000
··········klmn add KUBE-IPVS-IPS 10.96.0.1
··········klmn add KUBE-IPVS-IPS 198.51.100.1
··········klmn add KUBE-IPVS-IPS 198.51.100.2
a············· add KUBE-NODE-PORT-SCTP 30090
a············· add KUBE-NODE-PORT-LOCAL-SCTP 30090
abcdef········ -A -t 127.0.0.1:30080 -s rr
abcdef········ -a -t 127.0.0.1:30080 -r 10.244.1.1:8080 -m -w 1
abcdef········ -A --sctp-service 127.0.0.1:30090 -s rr
abcdef········ -a --sctp-service 127.0.0.1:30090 -r 10.244.1.1:9090 -m -w 1
abcdefghi····· :KUBE-FIREWALL - [0:0]
·········jklmn :KUBE-PROXY-FIREWALL - [0:0]
·········jklmn :KUBE-SOURCE-RANGES-FIREWALL - [0:0]
··········klmn :KUBE-IPVS-FILTER - [0:0]
············mn :KUBE-IPVS-OUT-FILTER - [0:0]
·········jklmn -A KUBE-PROXY-FIREWALL -m comment --comment "Kubernetes service load balancer ip + port for load balancer with sourceRange" -m set --match-set KUBE-LOAD-BALANCER-FW dst,dst -j KUBE-SOURCE-RANGES-FIREWALL
·········jklmn -A KUBE-SOURCE-RANGES-FIREWALL -m comment --comment "Kubernetes service load balancer ip + port + source cidr for packet filter purpose" -m set --match-set KUBE-LOAD-BALANCER-SOURCE-CIDR dst,dst,src -j RETURN
·········jklmn -A KUBE-SOURCE-RANGES-FIREWALL -j DROP
············mn -A KUBE-IPVS-OUT-FILTER -s 198.51.100.2 -m ipvs --vaddr 198.51.100.2 --vproto tcp --vport 80 -j DROP
············mn -A KUBE-IPVS-OUT-FILTER -s 198.51.100.2 -m ipvs --vaddr 198.51.100.2 --vproto sctp --vport 90 -j DROP
··········klmn -A KUBE-SERVICES -s 127.0.0.0/8 -j RETURN
·bcdefghi····· :KUBE-MARK-DROP - [0:0]
·bc··········· -A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -m mark --mark 0x00004000/0x00004000 -j MASQUERADE --random-fully
a············· -A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -m mark --mark 0x00004000/0x00004000 -j MASQUERADE
abcdefghi····· -A KUBE-LOAD-BALANCER -m comment --comment "Kubernetes service load balancer ip + port for load balancer with sourceRange" -m set --match-set KUBE-LOAD-BALANCER-FW dst,dst -j KUBE-FIREWALL
abcdefghi····· -A KUBE-FIREWALL -m comment --comment "Kubernetes service load balancer ip + port + source cidr for packet filter purpose" -m set --match-set KUBE-LOAD-BALANCER-SOURCE-CIDR dst,dst,src -j RETURN
abcdefghi····· -A KUBE-FIREWALL -j KUBE-MARK-DROP
·bcdefghijklmn -A KUBE-NODE-PORT -p sctp -m comment --comment "Kubernetes nodeport SCTP port for masquerade purpose with type 'hash ip:port'" -m set --match-set KUBE-NODE-PORT-SCTP-HASH dst,dst -j KUBE-MARK-MASQ
·bcdefghijklmn -A KUBE-NODE-PORT -p sctp -m comment --comment "Kubernetes nodeport SCTP port with externalTrafficPolicy=local with type 'hash ip:port'" -m set --match-set KUBE-NODE-PORT-LOCAL-SCTP-HASH dst,dst -j RETURN
a············· -A KUBE-SERVICES -p sctp -m comment --comment "Kubernetes nodeport SCTP port for masquerade purpose" -m set --match-set KUBE-NODE-PORT-SCTP dst -j KUBE-NODE-PORT
a············· -A KUBE-NODE-PORT -p sctp -m comment --comment "Kubernetes nodeport SCTP port with externalTrafficPolicy=local" -m set --match-set KUBE-NODE-PORT-LOCAL-SCTP dst -j RETURN
····efghijklmn -A KUBE-SERVICES -m comment --comment "Kubernetes service external ip + port with externalTrafficPolicy=local" -m set --match-set KUBE-EXTERNAL-IP-LOCAL dst,dst -m physdev ! --physdev-is-in -m addrtype ! --src-type LOCAL -j ACCEPT
····efghijklmn -A KUBE-SERVICES -m comment --comment "Kubernetes service external ip + port with externalTrafficPolicy=local" -m set --match-set KUBE-EXTERNAL-IP-LOCAL dst,dst -m addrtype --dst-type LOCAL -j ACCEPT
abcd·········· -A KUBE-SERVICES -m comment --comment "Kubernetes service external ip + port for masquerade and filter purpose" -m set --match-set KUBE-EXTERNAL-IP dst,dst -j KUBE-MARK-MASQ
abcd·········· -A KUBE-SERVICES -m comment --comment "Kubernetes service external ip + port for masquerade and filter purpose" -m set --match-set KUBE-EXTERNAL-IP dst,dst -m physdev ! --physdev-is-in -m addrtype ! --src-type LOCAL -j ACCEPT
abcd·········· -A KUBE-SERVICES -m comment --comment "Kubernetes service external ip + port for masquerade and filter purpose" -m set --match-set KUBE-EXTERNAL-IP dst,dst -m addrtype --dst-type LOCAL -j ACCEPT
···defghijklmn -A KUBE-POSTROUTING -m mark ! --mark 0x00004000/0x00004000 -j RETURN
···defghijklmn -A KUBE-POSTROUTING -j MARK --xor-mark 0x00004000
···defghijklmn -A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully
···defghijklmn -A KUBE-MARK-MASQ -j MARK --or-mark 0x00004000
abc··········· -A KUBE-MARK-MASQ -j MARK --set-xmark 0x00004000/0x00004000
·······hijklmn -A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
··cdefg······· -A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack pod source rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
··cdefg······· -A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack pod destination rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
·····fghijklmn -A KUBE-NODE-PORT -m comment --comment "Kubernetes health check node port" -m set --match-set KUBE-HEALTH-CHECK-NODE-PORT dst -j ACCEPT
··········klmn -A KUBE-IPVS-FILTER -m set --match-set KUBE-LOAD-BALANCER dst,dst -j RETURN
··········klmn -A KUBE-IPVS-FILTER -m set --match-set KUBE-CLUSTER-IP dst,dst -j RETURN
··········klmn -A KUBE-IPVS-FILTER -m set --match-set KUBE-EXTERNAL-IP dst,dst -j RETURN
·············n -A KUBE-IPVS-FILTER -m set --match-set KUBE-EXTERNAL-IP-LOCAL dst,dst -j RETURN
···········lmn -A KUBE-IPVS-FILTER -m set --match-set KUBE-HEALTH-CHECK-NODE-PORT dst -j RETURN
··········klmn -A KUBE-IPVS-FILTER -m conntrack --ctstate NEW -m set --match-set KUBE-IPVS-IPS dst -j REJECT
ab············ -A KUBE-FORWARD -s 10.244.0.0/16 -m comment --comment "kubernetes forwarding conntrack pod source rule" -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
ab············ -A KUBE-FORWARD -m comment --comment "kubernetes forwarding conntrack pod destination rule" -d 10.244.0.0/16 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
`

const SERVICE = {
  metadata: { namespace: 'ns', name: 'web' },
  spec: {
    type: 'LoadBalancer',
    clusterIP: '10.96.0.1',
    externalTrafficPolicy: 'Local' as const,
    healthCheckNodePort: 32000,
    externalIPs: ['198.51.100.1'],
    loadBalancerSourceRanges: ['203.0.113.0/24'],
    ports: [
      { name: 'http', port: 80, protocol: 'TCP' as const, nodePort: 30080 },
      { name: 'sig', port: 90, protocol: 'SCTP' as const, nodePort: 30090 },
    ],
  },
  status: { loadBalancer: { ingress: [{ ip: '198.51.100.2' }] } },
}
const PORTS = [
  { name: 'http', port: 8080, protocol: 'TCP' as const },
  { name: 'sig', port: 9090, protocol: 'SCTP' as const },
]
const INPUT = {
  services: [SERVICE],
  endpointSlices: [
    {
      metadata: { namespace: 'ns', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4' as const,
      ports: PORTS,
      endpoints: [{ addresses: ['10.244.1.1'], nodeName: 'node-1', topology: { 'kubernetes.io/hostname': 'node-1' } }],
    },
  ],
  endpoints: [
    {
      metadata: { namespace: 'ns', name: 'web' },
      subsets: [{ addresses: [{ ip: '10.244.1.1', nodeName: 'node-1' }], ports: PORTS }],
    },
  ],
  nodes: [{ metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } }],
  configuration: { clusterCIDR: '10.244.0.0/16' },
}

function linesOf(kubernetesVersion: string): readonly string[] {
  const result = compile(INPUT, { mode: 'ipvs', nodeName: 'node-1', families: ['IPv4'], kubernetesVersion })
  return printFamily(result, { family: 'IPv4' }).split('\n')
}

const ALL = Object.values(VERSIONS).map(linesOf)

it.each(Object.entries(VERSIONS))(
  'ipvs mode in version %s (%s) has the expected lines where versions differ',
  (letter, version) => {
    const common = linesOf(version).filter((line) => ALL.every((lines) => lines.includes(line)))
    const columns = Object.keys(VERSIONS).length
    const own = TEXT.trim()
      .split('\n')
      .filter((line) => line.slice(0, columns).includes(letter))
    const expected = [...common, ...own.map((line) => line.slice(columns + 1))]
    expect([...linesOf(version)].sort()).toEqual(expected.sort())
  },
)
