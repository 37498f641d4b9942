import { describe, expect, it } from 'vitest'
import { configuration, listJson, node, service, slice } from './support/objects.js'
import { run } from './support/run.js'

// Reports from clusters of several providers, with the rules of their other programs. Each has the first line of its
// answer: the problem, or the packet if there is none.

type Mode = 'iptables' | 'ipvs' | 'nftables'

const PORTS = [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080, nodePort: 30080 }]
const WEB = { type: 'NodePort', ports: PORTS }

const objects = (mode: Mode, spec: object = {}, ...others: readonly object[]) =>
  listJson(
    node('node-1', ['192.0.2.11']),
    node('node-2', ['192.0.2.12']),
    service('web', ['10.96.20.5'], { ...WEB, ...spec }),
    configuration({ clusterCIDR: '10.244.0.0/16', mode }),
    ...others,
  )

const READY = { ...slice('web', '10.244.2.7'), endpoints: [{ addresses: ['10.244.2.7'], nodeName: 'node-2' }] }

/** Adds chains and rules to a table of iptables-save. The rules are the first ones of their chains, or the last ones. */
function add(table: string, chains: readonly string[], lines: readonly string[], place: 'first' | 'last' = 'last') {
  return (rules: string): string => {
    const start = rules.indexOf(`*${table}\n`)
    const declarations = chains.map((chain) => `:${chain} - [0:0]\n`).join('')
    const text = lines.map((line) => `${line}\n`).join('')
    if (start < 0) return `${rules}*${table}\n${declarations}${text}COMMIT\n`
    const end = rules.indexOf('COMMIT\n', start)
    const own = rules.slice(start + table.length + 2, end)
    const at = own.search(/^-A /m)
    const [heads, body] = at < 0 ? [own, ''] : [own.slice(0, at), own.slice(at)]
    const content = place === 'first' ? text + body : body + text
    return `${rules.slice(0, start)}*${table}\n${heads}${declarations}${content}${rules.slice(end)}`
  }
}

const both =
  (...changes: readonly ((rules: string) => string)[]) =>
  (rules: string) =>
    changes.reduce((text, change) => change(text), rules)
const without = (line: RegExp) => (rules: string) =>
  rules
    .split('\n')
    .filter((each) => !line.test(each))
    .join('\n')

interface Report {
  readonly report: string
  readonly version: string
  readonly objects: string
  readonly paste?: (rules: string) => string
  readonly ask: readonly string[]
  readonly first: RegExp
  /** What the answer contains in another place. */
  readonly contains?: RegExp
}

const FROM_POD = ['explain', '10.96.20.5:80', '--from', 'pod']
const NODE_PORT = ['explain', '192.0.2.11:30080', '--from', 'outside']
const PODS = /^On node node-1, packets from a pod to 10\.96\.20\.5:80\/TCP /.source
const CLIENTS = /^On node node-1, packets from external clients to 192\.0\.2\.11:30080\/TCP /.source

const REPORTS: readonly Report[] = [
  {
    report: 'EKS: there are AWS-SNAT-CHAIN rules, are they the reason for slow Services?',
    version: '1.29',
    objects: objects('iptables', {}, READY),
    paste: both(
      add(
        'nat',
        ['AWS-CONNMARK-CHAIN-0', 'AWS-SNAT-CHAIN-0'],
        [
          '-A PREROUTING -i eni+ -m comment --comment "AWS, outbound connections" -j AWS-CONNMARK-CHAIN-0',
          '-A PREROUTING -m comment --comment "AWS, CONNMARK" -j CONNMARK --restore-mark --nfmask 0x80 --ctmask 0x80',
          '-A POSTROUTING -m comment --comment "AWS SNAT CHAIN" -j AWS-SNAT-CHAIN-0',
          '-A AWS-CONNMARK-CHAIN-0 -d 10.0.0.0/8 -m comment --comment "AWS CONNMARK CHAIN, VPC CIDR" -j RETURN',
          '-A AWS-CONNMARK-CHAIN-0 -m comment --comment "AWS, CONNMARK" -j CONNMARK --set-xmark 0x80/0x80',
          '-A AWS-SNAT-CHAIN-0 -d 10.0.0.0/8 -m comment --comment "AWS SNAT CHAIN" -j RETURN',
          '-A AWS-SNAT-CHAIN-0 ! -o vlan+ -m comment --comment "AWS, SNAT" -m addrtype ! --dst-type LOCAL -j SNAT --to-source 192.0.2.11 --random-fully',
        ],
      ),
      add(
        'mangle',
        [],
        [
          '-A PREROUTING -i eth0 -m comment --comment "AWS, primary ENI" -m addrtype --dst-type LOCAL --limit-iface-in -j CONNMARK --set-xmark 0x80/0x80',
          '-A PREROUTING -i eni+ -m comment --comment "AWS, primary ENI" -j CONNMARK --restore-mark --nfmask 0x80 --ctmask 0x80',
        ],
      ),
    ),
    ask: FROM_POD,
    first: /^10\.244\.0\.254 -> 10\.96\.20\.5:80\/TCP, from a pod$/,
    contains: /=> 10\.244\.2\.7:8080/,
  },
  {
    report: 'GKE: what does IP-MASQ do to packets of clients?',
    version: '1.28',
    objects: objects('iptables', {}, READY),
    paste: add(
      'nat',
      ['IP-MASQ'],
      [
        '-A POSTROUTING -m comment --comment "ip-masq: ensure nat POSTROUTING directs all non-LOCAL destination traffic to our custom IP-MASQ chain" -m addrtype ! --dst-type LOCAL -j IP-MASQ',
        '-A IP-MASQ -d 10.0.0.0/8 -m comment --comment "ip-masq: RFC 1918 reserved range is not subject to MASQUERADE" -j RETURN',
        '-A IP-MASQ -m comment --comment "ip-masq: outbound traffic is subject to MASQUERADE (must be last in chain)" -j MASQUERADE',
      ],
    ),
    ask: NODE_PORT,
    first: /^198\.51\.100\.1 -> 192\.0\.2\.11:30080\/TCP, from outside$/,
  },
  {
    report: 'K3s: the LoadBalancer Service has the address of the node, who takes port 80?',
    version: '1.30',
    objects: listJson(
      node('node-1', ['192.0.2.11']),
      {
        ...service('web', ['10.96.20.5'], { type: 'LoadBalancer', ports: PORTS }),
        status: { loadBalancer: { ingress: [{ ip: '192.0.2.11' }] } },
      },
      configuration({ clusterCIDR: '10.244.0.0/16', mode: 'iptables' }),
      READY,
    ),
    paste: add(
      'nat',
      ['CNI-HOSTPORT-DNAT', 'CNI-DN-0123456789abcdef01234'],
      [
        '-A PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT',
        '-A CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \\"cbr0\\" id: \\"aa11\\"" -m multiport --dports 80 -j CNI-DN-0123456789abcdef01234',
        '-A CNI-DN-0123456789abcdef01234 -p tcp -m tcp --dport 80 -j DNAT --to-destination 10.244.1.30:80',
      ],
    ),
    ask: ['explain', '192.0.2.11:80', '--from', 'outside'],
    first: /^198\.51\.100\.1 -> 192\.0\.2\.11:80\/TCP, from outside$/,
    contains: /=> 10\.244\.2\.7:8080, masqueraded/,
  },
  {
    report: 'kind: the node has chains of Docker for its DNS',
    version: '1.31',
    objects: objects('iptables', {}, READY),
    paste: add(
      'nat',
      ['DOCKER_OUTPUT', 'DOCKER_POSTROUTING'],
      [
        '-A OUTPUT -d 127.0.0.11/32 -j DOCKER_OUTPUT',
        '-A POSTROUTING -d 127.0.0.11/32 -j DOCKER_POSTROUTING',
        '-A DOCKER_OUTPUT -d 127.0.0.11/32 -p tcp -m tcp --dport 53 -j DNAT --to-destination 127.0.0.11:39283',
        '-A DOCKER_POSTROUTING -s 127.0.0.11/32 -p tcp -m tcp --sport 39283 -j SNAT --to-source :53',
      ],
      'first',
    ),
    ask: ['explain', '10.96.20.5:80', '--from', 'node'],
    first: /^192\.0\.2\.11 -> 10\.96\.20\.5:80\/TCP, locally generated$/,
  },
  {
    report: 'Calico: a pod times out, and a counter in cali-tw rises',
    version: '1.27',
    objects: objects('iptables', {}, { ...READY, endpoints: [{ addresses: ['10.244.1.7'], nodeName: 'node-1' }] }),
    paste: add(
      'filter',
      ['cali-FORWARD', 'cali-to-wl-dispatch', 'cali-tw-cali12345678901'],
      [
        '-A FORWARD -m comment --comment "cali:wUHhoiAYhphO9Mso" -j cali-FORWARD',
        '-A cali-FORWARD -o cali+ -m comment --comment "cali:jxvuJjmmRV135nVu" -j cali-to-wl-dispatch',
        '-A cali-to-wl-dispatch -d 10.244.1.7/32 -m comment --comment "cali:abcdefghijklmnop" -g cali-tw-cali12345678901',
        '-A cali-tw-cali12345678901 -m comment --comment "cali:ponmlkjihgfedcba" -m comment --comment "Drop if no policies passed packet" -j DROP',
      ],
      'first',
    ),
    ask: FROM_POD,
    first: new RegExp(`${PODS}may be dropped by a rule of Calico$`),
    contains: /NetworkPolicy|network polic/i,
  },
  {
    report: 'Cilium next to kube-proxy: are the CILIUM chains in the way?',
    version: '1.30',
    objects: objects('iptables', {}, READY),
    paste: both(
      add(
        'filter',
        ['CILIUM_FORWARD', 'CILIUM_INPUT'],
        [
          '-A FORWARD -m comment --comment "cilium-feeder: CILIUM_FORWARD" -j CILIUM_FORWARD',
          '-A INPUT -m comment --comment "cilium-feeder: CILIUM_INPUT" -j CILIUM_INPUT',
          '-A CILIUM_FORWARD -o cilium_host -m comment --comment "cilium: any->cluster on cilium_host forward accept" -j ACCEPT',
          '-A CILIUM_FORWARD -i lxc+ -m comment --comment "cilium: cluster->any on lxc+ forward accept" -j ACCEPT',
        ],
        'first',
      ),
      add(
        'nat',
        ['CILIUM_POST_nat'],
        [
          '-A POSTROUTING -m comment --comment "cilium-feeder: CILIUM_POST_nat" -j CILIUM_POST_nat',
          '-A CILIUM_POST_nat -s 10.244.1.0/24 ! -d 10.244.0.0/16 ! -o cilium_+ -m comment --comment "cilium masquerade non-cluster" -j MASQUERADE',
        ],
        'first',
      ),
    ),
    ask: FROM_POD,
    first: /^10\.244\.0\.254 -> 10\.96\.20\.5:80\/TCP, from a pod$/,
  },
  {
    report: 'the bridge of Docker has the network of the pods, so servers see the node',
    version: '1.28',
    objects: objects('iptables', { externalTrafficPolicy: 'Cluster' }, READY),
    paste: add(
      'nat',
      ['DOCKER'],
      [
        '-A PREROUTING -m addrtype --dst-type LOCAL -j DOCKER',
        '-A POSTROUTING -s 10.244.0.0/16 ! -o docker0 -j MASQUERADE',
        '-A DOCKER -i docker0 -j RETURN',
      ],
      'first',
    ),
    ask: FROM_POD,
    first: new RegExp(
      `${PODS}may get another source address from another program \\(probably Docker\\); kube-proxy does not change it$`,
    ),
  },
  {
    report: 'firewalld with nftables: pods get "no route to host" or "admin prohibited"',
    version: '1.29',
    objects: objects('iptables', {}, READY),
    paste: (rules) =>
      `${rules}table inet firewalld {\n\tchain filter_FORWARD {\n\t\ttype filter hook forward priority filter + 10; policy accept;\n\t\tct state { established, related } accept\n\t\tct status dnat accept\n\t\tiifname "lo" accept\n\t\tct state { invalid } drop\n\t\treject with icmpx admin-prohibited\n\t}\n}\n`,
    ask: ['explain', '10.244.2.7:8080', '--from', 'pod'],
    first: /^On node node-1, packets from a pod to 10\.244\.2\.7:8080\/TCP are rejected by a rule of firewalld$/,
    contains: /rejected/,
  },
  {
    report: 'ufw: DEFAULT_FORWARD_POLICY is DROP, and Services hang',
    version: '1.26',
    objects: objects('iptables', {}, READY),
    paste: both(
      add(
        'filter',
        ['ufw-before-forward', 'ufw-after-forward', 'ufw-reject-forward'],
        [
          '-A FORWARD -j ufw-before-forward',
          '-A FORWARD -j ufw-after-forward',
          '-A FORWARD -j ufw-reject-forward',
          '-A ufw-before-forward -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
          '-A ufw-before-forward -p icmp -m icmp --icmp-type 8 -j ACCEPT',
        ],
      ),
      (rules) => rules.replace(':FORWARD ACCEPT', ':FORWARD DROP'),
    ),
    ask: FROM_POD,
    first: new RegExp(`${PODS}are dropped by a rule of another program \\(probably ufw\\)$`),
  },
  {
    report: 'MetalLB: the speaker announces the address from a node without a pod',
    version: '1.30',
    objects: listJson(
      node('node-1', ['192.0.2.11']),
      {
        ...service('web', ['10.96.20.5'], { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: PORTS }),
        status: { loadBalancer: { ingress: [{ ip: '203.0.113.50', ipMode: 'VIP' }] } },
      },
      configuration({ clusterCIDR: '10.244.0.0/16', mode: 'ipvs', ipvs: { strictARP: true } }),
      READY,
    ),
    paste: (rules) => rules,
    ask: ['explain', '203.0.113.50:80', '--from', 'outside'],
    first:
      /^On node node-1, packets from external clients to 203\.0\.113\.50:80\/TCP reach 10\.244\.2\.7:8080; according to the Service, the outcome should be: dropped$/,
    contains: /limitation localFallsBack/,
  },
  {
    report: 'NodeLocal DNS in ipvs mode: who answers the cluster IP of the DNS?',
    version: '1.29',
    objects: listJson(
      node('node-1', ['192.0.2.11']),
      service('dns', ['10.96.0.10'], { ports: [{ name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 }] }),
      { ...slice('dns', '10.244.2.53'), ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] },
      configuration({ clusterCIDR: '10.244.0.0/16', mode: 'ipvs' }),
    ),
    paste: add(
      'raw',
      [],
      [
        '-A PREROUTING -d 169.254.20.10/32 -p udp -m udp --dport 53 -m comment --comment "NodeLocal DNS Cache: skip conntrack" -j NOTRACK',
        '-A OUTPUT -s 169.254.20.10/32 -p udp -m udp --sport 53 -m comment --comment "NodeLocal DNS Cache: skip conntrack" -j NOTRACK',
      ],
    ),
    ask: ['explain', '10.96.0.10:53/udp', '--from', 'pod'],
    first: /^10\.244\.0\.254 -> 10\.96\.0\.10:53\/UDP, from a pod$/,
  },
  {
    report: 'a hostPort of an ingress controller is the node port of a Service',
    version: '1.28',
    objects: objects('iptables', {}, READY),
    paste: add(
      'nat',
      ['CNI-HOSTPORT-DNAT', 'CNI-DN-fedcba98765432100000a'],
      [
        '-A PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT',
        '-A CNI-HOSTPORT-DNAT -p tcp -m comment --comment "dnat name: \\"k8s-pod-network\\" id: \\"bb22\\"" -m multiport --dports 30080 -j CNI-DN-fedcba98765432100000a',
        '-A CNI-DN-fedcba98765432100000a -p tcp -m tcp --dport 30080 -j DNAT --to-destination 10.244.1.99:80',
      ],
      'first',
    ),
    ask: NODE_PORT,
    first: new RegExp(
      `${CLIENTS}go to 10\\.244\\.1\\.99:80 instead of an endpoint: CNI portmap \\(hostPort\\) changes their destination$`,
    ),
  },
  {
    report: 'a pod cannot reach its own Service, other pods can',
    version: '1.29',
    objects: objects('iptables', {}, { ...READY, endpoints: [{ addresses: ['10.244.1.7'], nodeName: 'node-1' }] }),
    paste: without(/^-A KUBE-SEP-\S+ -s 10\.244\.1\.7\/32 /),
    ask: ['explain', '10.96.20.5:80', '--from', '10.244.1.7'],
    first: /^On node node-1, pod 10\.244\.1\.7 gets no reply if Service default\/web selects the pod itself$/,
  },
  {
    report: 'a script flushed POSTROUTING, and node ports on other nodes hang',
    version: '1.30',
    objects: objects('iptables', {}, READY),
    paste: without(/^-A POSTROUTING /),
    ask: NODE_PORT,
    first: new RegExp(
      `${CLIENTS}reach 10\\.244\\.2\\.7:8080 with their own source address, so their replies may not return through this node: chain POSTROUTING of table nat has no jump to KUBE-POSTROUTING$`,
    ),
    contains: /chain POSTROUTING of table nat has no jump to KUBE-POSTROUTING/,
  },
  {
    report: 'curl 127.0.0.1:30080 hangs on the node, with a line of sysctl',
    version: '1.27',
    objects: objects('iptables', {}, READY),
    paste: (rules) => `${rules}net.ipv4.conf.all.route_localnet = 0\n`,
    ask: ['explain', '127.0.0.1:30080', '--from', 'node'],
    first:
      /^(?:On node node-1, packets from the node itself to 127\.0\.0\.1:30080\/TCP |192\.0\.2\.11 -> 127\.0\.0\.1:30080|127\.0\.0\.1 -> 127\.0\.0\.1:30080)/,
    contains: /route_localnet/,
  },
  {
    report: 'DNS requests time out after CoreDNS moved, with the entries of conntrack',
    version: '1.25',
    objects: listJson(
      node('node-1', ['192.0.2.11']),
      service('dns', ['10.96.0.10'], { ports: [{ name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 }] }),
      { ...slice('dns', '10.244.2.53'), ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] },
      configuration({ clusterCIDR: '10.244.0.0/16', mode: 'iptables' }),
    ),
    paste: (rules) =>
      `${rules}udp      17 28 src=10.244.1.5 dst=10.96.0.10 sport=41234 dport=53 [UNREPLIED] src=10.244.1.53 dst=10.244.1.5 sport=53 dport=41234 mark=0 use=1\n`,
    ask: ['explain', '10.96.0.10:53/udp', '--from', 'pod'],
    first: /^10\.244\.0\.254 -> 10\.96\.0\.10:53\/UDP, from a pod$/,
    contains: /10\.244\.1\.53/,
  },
  {
    report: 'OVN-Kubernetes: which rules of kube-proxy are missing?',
    version: '1.29',
    objects: objects('iptables', {}, READY),
    paste: () =>
      '*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n:OVN-KUBE-NODEPORT - [0:0]\n:OVN-KUBE-EXTERNALIP - [0:0]\n-A PREROUTING -j OVN-KUBE-EXTERNALIP\n-A PREROUTING -j OVN-KUBE-NODEPORT\n-A OVN-KUBE-NODEPORT -p tcp -m addrtype --dst-type LOCAL -m tcp --dport 30080 -j DNAT --to-destination 10.96.20.5:80\nCOMMIT\n*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n',
    ask: ['verify'],
    first:
      /^On node node-1, the nat table has no rules of kube-proxy: no Service works, unless OVN-Kubernetes serves Services in its place$/,
  },
  {
    report: 'Cilium without kube-proxy: Services work, but kube-rules finds no rules',
    version: '1.31',
    objects: objects('iptables', {}, READY),
    paste: () =>
      '*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n:CILIUM_OUTPUT_nat - [0:0]\n:CILIUM_POST_nat - [0:0]\n:CILIUM_PRE_nat - [0:0]\n-A PREROUTING -m comment --comment "cilium-feeder: CILIUM_PRE_nat" -j CILIUM_PRE_nat\n-A OUTPUT -m comment --comment "cilium-feeder: CILIUM_OUTPUT_nat" -j CILIUM_OUTPUT_nat\n-A POSTROUTING -m comment --comment "cilium-feeder: CILIUM_POST_nat" -j CILIUM_POST_nat\nCOMMIT\n*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n',
    ask: ['verify'],
    first:
      /^On node node-1, the nat table has no rules of kube-proxy: no Service works, unless Cilium serves Services in its place$/,
  },
  {
    report: 'only the rules of a kubelet are on the node',
    version: '1.24',
    objects: objects('iptables', {}, READY),
    paste: () =>
      '*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\n:KUBE-MARK-DROP - [0:0]\n:KUBE-MARK-MASQ - [0:0]\n:KUBE-POSTROUTING - [0:0]\n-A POSTROUTING -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING\n-A KUBE-MARK-DROP -j MARK --set-xmark 0x8000/0x8000\n-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000\n-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN\n-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0\n-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully\nCOMMIT\n*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n',
    ask: ['verify'],
    first: /^On node node-1, no Service works: the nat table has no rules of kube-proxy$/,
  },
  {
    report: 'the Service has no endpoints: its selector says app=web, the pods have app=webs',
    version: '1.32',
    objects: objects('nftables', { selector: { app: 'web' } }, slice('other', '10.244.2.9')),
    paste: (rules) => rules,
    ask: NODE_PORT,
    first: new RegExp(`${CLIENTS}are rejected: default/web:http has no endpoints$`),
    contains: /no pod that matches its selector app=web is listed in an EndpointSlice/,
  },
]

async function answerTo({
  version,
  objects: cluster,
  paste,
  ask,
}: Report): Promise<{ readonly first: string; readonly whole: string }> {
  const options = ['-f', 'cluster.json', '--node', 'node-1', '--kubernetes-version', version]
  const files = { 'cluster.json': cluster }
  const format = /"mode":"nftables"/.test(cluster) ? [] : ['--format', 'save']
  const printed = await run(['print', ...options, '--family', '4', ...format], { files })
  expect(printed.stdout, printed.stderr).not.toBe('')
  const dump = paste === undefined ? printed.stdout : paste(printed.stdout)
  const { stdout, stderr } = await run([...ask, ...options, '--dump', 'node.dump'], {
    files: { ...files, 'node.dump': dump },
  })
  return { first: stdout.split('\n', 1)[0] ?? '', whole: `${stdout}\n${stderr}` }
}

describe('the answer to a report with rules of other programs', () => {
  it.each(REPORTS)('begins with the right line: $report', async (each) => {
    const { first, whole } = await answerTo(each)
    expect(first, whole).toMatch(each.first)
    if (each.contains !== undefined) expect(whole).toMatch(each.contains)
  })
})
