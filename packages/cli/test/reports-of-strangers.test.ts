import { describe, expect, it } from 'vitest'
import { configuration, listJson, node, service, slice } from './support/objects.js'
import { run } from './support/run.js'

// Reports as people post them: parts of a node in several formats, next to rules of other programs. Each has the
// first line of its answer.

type Mode = 'iptables' | 'ipvs' | 'nftables'

const PORTS = [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080, nodePort: 30080 }]
const WEB = { type: 'NodePort', ports: PORTS }
const DNS_PORTS = { ports: [{ name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 }] }

const objects = (mode: Mode, spec: object = {}, ...others: readonly object[]) =>
  listJson(
    node('node-1', ['192.0.2.11']),
    node('node-2', ['192.0.2.12']),
    service('web', ['10.96.20.5'], { ...WEB, ...spec }),
    configuration({ clusterCIDR: '10.244.0.0/16', mode }),
    ...others,
  )

const READY = slice('web', '10.244.2.7')
const onNode2 = { ...slice('web', '10.244.2.7'), endpoints: [{ addresses: ['10.244.2.7'], nodeName: 'node-2' }] }
const notReady = {
  ...READY,
  endpoints: [{ addresses: ['10.244.2.7'], nodeName: 'node-1', conditions: { ready: false } }],
}

const prompt = (command: string, output: string) => `root@node-1:~# ${command}\n${output}\n`
const before = (chain: string, rule: string) => (rules: string) =>
  rules.replace(`-A ${chain} `, `${rule}\n-A ${chain} `)
const without = (words: string) => (rules: string) =>
  rules
    .split('\n')
    .filter((line) => !line.includes(words))
    .join('\n')
const table = (name: string, ...lines: readonly string[]) => `*${name}\n${lines.join('\n')}\nCOMMIT\n`

interface Report {
  readonly report: string
  readonly version: string
  readonly objects: string
  /** Changes the rules of kube-proxy to the pasted text. Without it, there is no paste. */
  readonly paste?: ((rules: string) => string) | undefined
  readonly ask: readonly string[]
  readonly first: string
}

const FROM_POD = ['10.96.20.5:80', '--from', 'pod']
const NODE_PORT = ['192.0.2.11:30080', '--from', 'outside']
const POD = 'On node node-1, packets from a pod to 10.96.20.5:80/TCP'
const OUTSIDE = 'On node node-1, packets from external clients to 192.0.2.11:30080/TCP'

const REPORTS: readonly Report[] = [
  {
    report: 'Docker was updated and pods cannot reach the Service anymore',
    version: '1.24',
    objects: objects('iptables', {}, READY),
    paste: (rules) =>
      rules
        .replace(':FORWARD ACCEPT', ':FORWARD DROP')
        .replace(
          ':KUBE-FORWARD',
          ':DOCKER - [0:0]\n:DOCKER-USER - [0:0]\n:DOCKER-ISOLATION-STAGE-1 - [0:0]\n:KUBE-FORWARD',
        )
        .replace('-A FORWARD ', '-A FORWARD -j DOCKER-USER\n-A FORWARD -j DOCKER-ISOLATION-STAGE-1\n-A FORWARD '),
    ask: ['explain', ...FROM_POD],
    first: `${POD} are dropped by a rule of another program (probably Docker)`,
  },
  {
    report: 'the security team hardened the nodes with an nftables file, and node ports time out',
    version: '1.31',
    objects: objects('nftables', {}, READY),
    paste: (rules) =>
      `${rules}\ntable inet hardening {\n\tchain fwd {\n\t\ttype filter hook forward priority 10; policy drop;\n\t\tct state established,related accept\n\t\ttcp dport { 22, 443 } accept\n\t}\n}\n`,
    ask: ['explain', ...NODE_PORT],
    first: `${OUTSIDE} are dropped by a rule of another program, such as a firewall`,
  },
  {
    report: 'ufw is active, and pods get no answer from the Service',
    version: '1.28',
    objects: objects('iptables', {}, READY),
    paste: (rules) =>
      before(
        'FORWARD',
        '-A FORWARD -j ufw-reject-forward',
      )(rules)
        .replace(':KUBE-FORWARD', ':ufw-reject-forward - [0:0]\n:KUBE-FORWARD')
        .replace(
          '-A KUBE-FORWARD ',
          '-A ufw-reject-forward -j REJECT --reject-with icmp-port-unreachable\n-A KUBE-FORWARD ',
        ),
    ask: ['explain', ...FROM_POD],
    first: `${POD} are rejected by a rule of ufw`,
  },
  {
    report: 'connection refused from everywhere, the pod is Running but 0/1',
    version: '1.29',
    objects: objects('iptables', {}, notReady),
    ask: ['explain', ...FROM_POD],
    first: `${POD} are rejected: default/web:http has no ready endpoint`,
  },
  {
    report: 'externalTrafficPolicy Local, and one of two nodes times out',
    version: '1.27',
    objects: objects('iptables', { externalTrafficPolicy: 'Local' }, onNode2),
    ask: ['explain', ...NODE_PORT],
    first: `${OUTSIDE} are dropped: default/web:http has no endpoint on this node`,
  },
  {
    report: 'the same in nftables mode',
    version: '1.33',
    objects: objects('nftables', { externalTrafficPolicy: 'Local' }, onNode2),
    ask: ['explain', ...NODE_PORT],
    first: `${OUTSIDE} are dropped: default/web:http has no endpoint on this node`,
  },
  {
    report: 'a cleanup script deleted rules with iptables -D, only this Service hangs',
    version: '1.26',
    objects: objects('iptables', {}, READY),
    paste: without('-A KUBE-SERVICES -d 10.96.20.5/32'),
    ask: ['explain', ...FROM_POD],
    first: `${POD} are not handled by kube-proxy: a part of the rules of default/web:http is missing on the node`,
  },
  {
    report: 'the node port is dead, KUBE-NODEPORTS is empty',
    version: '1.30',
    objects: objects('iptables', {}, READY),
    paste: without('-A KUBE-NODEPORTS'),
    ask: ['explain', ...NODE_PORT],
    first: `${OUTSIDE} are not handled by kube-proxy: a part of the rules of default/web:http is missing on the node`,
  },
  {
    report: 'the rules of a node still have the address of the old pod',
    version: '1.25',
    objects: objects('iptables', {}, READY),
    paste: (rules) => rules.replaceAll('10.244.2.7', '10.244.2.99'),
    ask: ['explain', ...FROM_POD],
    first: `${POD} reach 10.244.2.99:8080 instead of an endpoint: a part of the rules of default/web:http is wrong on the node`,
  },
  {
    report: 'somebody ran the init script of Istio on the node itself, and Services are refused',
    version: '1.28',
    objects: objects('iptables', {}, READY),
    paste: (rules) =>
      before(
        'PREROUTING',
        '-A PREROUTING -p tcp -j ISTIO_INBOUND',
      )(rules)
        .replace(':KUBE-SERVICES - [0:0]\n:KUBE-SVC', ':ISTIO_INBOUND - [0:0]\n:KUBE-SERVICES - [0:0]\n:KUBE-SVC')
        .replace('-A KUBE-SERVICES -d', '-A ISTIO_INBOUND -p tcp -j REDIRECT --to-ports 15006\n-A KUBE-SERVICES -d'),
    ask: ['explain', ...FROM_POD],
    first: `${POD} go to local port 15006 of the node instead of an endpoint: Istio changes their destination`,
  },
  {
    report: 'these are the rules of a pod with a sidecar of Istio: who balances here?',
    version: '1.28',
    objects: objects('iptables', {}, READY),
    paste: () =>
      table(
        'nat',
        ':PREROUTING ACCEPT [0:0]',
        ':OUTPUT ACCEPT [0:0]',
        ':ISTIO_OUTPUT - [0:0]',
        ':ISTIO_REDIRECT - [0:0]',
        '-A OUTPUT -p tcp -j ISTIO_OUTPUT',
        '-A ISTIO_OUTPUT -j ISTIO_REDIRECT',
        '-A ISTIO_REDIRECT -p tcp -j REDIRECT --to-ports 15001',
      ),
    ask: ['explain', '10.96.20.5:80', '--from', 'node'],
    first:
      'On node node-1, packets from the node itself to 10.96.20.5:80/TCP are not for kube-proxy: the proxy of Istio in the pod receives them and selects an endpoint itself. This is normal',
  },
  {
    report: 'CoreDNS cannot be reached, NodeLocal DNSCache was installed last week',
    version: '1.29',
    objects: listJson(
      node('node-1', ['192.0.2.11']),
      service('kube-dns', ['10.96.0.10'], DNS_PORTS),
      { ...slice('kube-dns', '10.244.0.2'), ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] },
      configuration({ clusterCIDR: '10.244.0.0/16', mode: 'iptables' }),
    ),
    paste: (rules) =>
      `${table('raw', ':PREROUTING ACCEPT [0:0]', ':OUTPUT ACCEPT [0:0]', '-A PREROUTING -d 10.96.0.10/32 -p udp -m udp --dport 53 -m comment --comment "NodeLocal DNS Cache: skip conntrack" -j NOTRACK')}${rules}`,
    ask: ['explain', '10.96.0.10:53/udp', '--from', 'pod'],
    first:
      'On node node-1, packets from a pod to 10.96.0.10:53/UDP are not for kube-proxy: the DNS cache on this node answers them. This is normal',
  },
  {
    report: 'load-balancer source ranges, and the node itself cannot curl the address',
    version: '1.30',
    objects: objects(
      'iptables',
      { type: 'LoadBalancer', loadBalancerSourceRanges: ['198.51.100.0/24'] },
      READY,
    ).replace(
      '"spec":{"type":"LoadBalancer"',
      '"status":{"loadBalancer":{"ingress":[{"ip":"203.0.113.9"}]}},"spec":{"type":"LoadBalancer"',
    ),
    ask: ['explain', '203.0.113.9:80', '--from', 'node'],
    first:
      'On node node-1, packets from the node itself to 203.0.113.9:80/TCP are dropped: no source range of default/web:http contains 192.0.2.11, the address of the node',
  },
  {
    report: 'K3s 1.26 in ipvs mode: ssh is refused since the Service exists',
    version: '1.26',
    objects: objects('ipvs', { type: 'LoadBalancer', externalIPs: ['192.0.2.11'] }, READY),
    ask: ['explain', '192.0.2.11:22', '--from', 'outside'],
    first:
      'On node node-1, packets from external clients to 192.0.2.11:22/TCP are rejected: 192.0.2.11, an address of this node, is also the external IP of Service default/web',
  },
  {
    report: 'ipvs mode 1.22: the other node became NotReady',
    version: '1.22',
    objects: objects('ipvs', { externalIPs: ['192.0.2.12'] }, READY),
    ask: ['explain', '192.0.2.12:6443', '--from', 'node'],
    first:
      'On node node-1, packets from the node itself to 192.0.2.12:6443/TCP do not reach Node node-2: its address 192.0.2.12 is also the external IP of Service default/web, so they stay on this node',
  },
  {
    report: 'a WireGuard script forwards port 443 to the cluster IP, and it hangs',
    version: '1.30',
    objects: objects('iptables', {}, READY),
    paste: before(
      'PREROUTING',
      '-A PREROUTING -d 192.0.2.11/32 -p tcp -m tcp --dport 443 -j DNAT --to-destination 10.96.20.5:80',
    ),
    ask: ['explain', '192.0.2.11:443', '--from', 'outside'],
    first:
      'On node node-1, packets from external clients to 192.0.2.11:443/TCP do not reach a pod: another program sends them to 10.96.20.5:80, the cluster IP of Service default/web',
  },
  {
    report: 'fail2ban banned a pod network by accident',
    version: '1.27',
    objects: objects('iptables', {}, READY),
    paste: (rules) =>
      before(
        'FORWARD',
        '-A FORWARD -p tcp -j f2b-all',
      )(rules)
        .replace(':KUBE-FORWARD', ':f2b-all - [0:0]\n:KUBE-FORWARD')
        .replace('-A KUBE-FORWARD ', '-A f2b-all -s 10.244.0.0/16 -j DROP\n-A KUBE-FORWARD '),
    ask: ['explain', ...FROM_POD],
    first: `${POD} are dropped by a rule of fail2ban`,
  },
  {
    report: 'Tailscale is on the node, and pods time out; the paste is only of table filter',
    version: '1.30',
    objects: objects('iptables', {}, READY),
    paste: (rules) =>
      prompt(
        'iptables-save -t filter',
        before(
          'FORWARD',
          '-A FORWARD -j ts-forward',
        )(rules.slice(0, rules.indexOf('*nat'))).replace(':KUBE-FORWARD', ':ts-forward - [0:0]\n:KUBE-FORWARD'),
      ).replace('-A KUBE-FORWARD ', '-A ts-forward -s 10.244.0.0/16 -j DROP\n-A KUBE-FORWARD '),
    ask: ['explain', ...FROM_POD],
    first: `${POD} may be dropped by a rule of Tailscale`,
  },
  {
    report: 'a healthy node in ipvs mode: is anything wrong with it?',
    version: '1.29',
    objects: objects('ipvs', {}, READY),
    paste: (rules) => rules,
    ask: ['verify'],
    first: 'no drift',
  },
  {
    report: 'no Service works since firewalld was reloaded: the jumps are gone',
    version: '1.27',
    objects: objects('iptables', {}, READY),
    paste: (rules) => rules.replace(/^-A (?:PREROUTING|OUTPUT|POSTROUTING) .*\n/gm, ''),
    ask: ['verify'],
    first:
      'On node node-1, no Service works: the jump to KUBE-SERVICES is missing in PREROUTING and OUTPUT of table nat',
  },
]

async function answerTo({ version, objects: cluster, paste, ask }: Report): Promise<string> {
  const options = ['-f', 'cluster.json', '--node', 'node-1', '--kubernetes-version', version]
  const files = { 'cluster.json': cluster }
  if (paste === undefined) return (await run([...ask, ...options], { files })).stdout
  const print = ['print', ...options, '--family', '4']
  const mode = /"mode":"nftables"/.test(cluster) ? [] : ['--format', 'save']
  const { stdout, stderr } = await run([...print, ...mode], { files })
  expect(stdout, stderr).not.toBe('')
  const dump = paste(stdout)
  return (await run([...ask, ...options, '--dump', 'node.dump'], { files: { ...files, 'node.dump': dump } })).stdout
}

describe('the first line of the answer to a report', () => {
  it.each(REPORTS)('is right: $report', async (each) => {
    const [first] = (await answerTo(each)).split('\n')
    expect(first).toBe(each.first)
  })
})
