import type { Packet, SliceEndpoint } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileInput, CompileOptions } from '../../../compiler/src/compilation/compile-result.js'
import { print } from '../../../compiler/src/print/print.js'
import { at, loadBalancer, service, slice } from '../../../compiler/test/support/objects.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { diagnosePacket } from '../../src/diagnose/diagnose-packet.js'
import type { Diagnosis, DiagnosisCode } from '../../src/diagnose/diagnosis.js'
import { explain } from '../../src/explain/explain.js'
import { traceContextFor } from '../../src/trace/trace-context.js'
import { annotateOwners } from '../../src/verify/annotate-owners.js'

// Diagnoses that the cases in fixtures/troubleshooting do not cover.

const CONFIGURATION = { clusterCIDR: '10.244.0.0/16' }

const nodeOf = (labels = {}) => ({
  metadata: { name: 'node-1', labels },
  status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] },
})

const FROM: Readonly<Record<Packet['origin'], Pick<Packet, 'origin' | 'source'>>> = {
  pod: { origin: 'pod', source: '10.244.9.9' },
  node: { origin: 'node', source: '192.168.0.2' },
  outside: { origin: 'outside', source: '198.51.100.7' },
}

interface Question {
  readonly input?: Partial<CompileInput>
  readonly options?: CompileOptions
  readonly packet?: Partial<Packet>
  readonly change?: (dump: string) => string
  readonly established?: boolean
}

/**
 * Returns the diagnoses of a packet to the cluster IP of `ns1/web`, through compiled rules or, with `change`, modified
 * ones.
 */
function diagnosesTo({ input, options, packet, change, established }: Question): readonly Diagnosis[] {
  const objects = { configuration: CONFIGURATION, services: [service()], nodes: [nodeOf()], ...input }
  const given: CompileOptions = { nodeName: 'node-1', families: ['IPv4'], mode: 'iptables', ...options }
  const result = compile(objects, given)
  const [family] = result.families
  if (family === undefined) throw new Error('one family was asked for')
  const state = change === undefined ? family.state : readDump(change(print(family.state, { format: 'save' }))).IPv4
  const sent: Packet = { ...FROM.pod, protocol: 'TCP', destination: '10.96.0.1', destinationPort: 80, ...packet }
  const traceContext = traceContextFor(family.plan)
  const explanation = explain(state, sent, { plan: family.plan, compiled: family.state, ...traceContext })
  return diagnosePacket(explanation, state, {
    result,
    from: { input: objects, options: given },
    established,
    ...traceContext,
  })
}

function onlyDiagnosis(question: Question, code: DiagnosisCode): Diagnosis {
  const diagnoses = diagnosesTo(question)
  expect(diagnoses.map((diagnosis) => diagnosis.code)).toEqual([code])
  return diagnoses[0] as Diagnosis
}

const READY = { endpointSlices: [slice(at('10.244.1.1'))] }

const of = (conditions: SliceEndpoint['conditions']) => ({
  endpointSlices: [slice([{ addresses: ['10.244.1.1'], nodeName: 'node-2', conditions }])],
})

describe('diagnosePacket', () => {
  it.each(['pod', 'node', 'outside'] as const)(
    'returns no diagnosis for packets from %s that are delivered as expected',
    (origin) => {
      expect(diagnosesTo({ input: READY, packet: FROM[origin] })).toEqual([])
    },
  )

  it('returns no diagnosis for packets to destinations that belong to no Service', () => {
    expect(diagnosesTo({ input: READY, packet: { destination: '10.1.1.1' } })).toEqual([])
    expect(diagnosesTo({ input: READY, packet: { destination: '10.1.1.1' }, established: true })).toEqual([])
  })

  it('returns no diagnosis if neither objects nor rules of a Service exist', () => {
    const packet: Packet = { ...FROM.pod, protocol: 'TCP', destination: '10.96.0.1', destinationPort: 80 }
    const { IPv4: state } = readDump('*filter\n-A FORWARD -j DROP\nCOMMIT\n')
    expect(diagnosePacket(explain(state, packet), state)).toEqual([])
  })
})

describe('the diagnosis of a rejected packet', () => {
  it('lists unready endpoints', () => {
    const { summary, cause, steps } = onlyDiagnosis({ input: of({ ready: false }) }, 'rejectedNoEndpoints')
    expect(summary).toBe(
      'On node node-1, packets from a pod to 10.96.0.1:80/TCP are rejected: ns1/web:http has no ready endpoint',
    )
    expect(cause).toBe(
      'cluster IP 10.96.0.1 belongs to Service ns1/web, and kube-proxy rejects packets without a usable endpoint; not ready: 10.244.1.1:8080 on node-2',
    )
    expect(steps).toEqual([
      {
        text: 'Find out with kubectl why the pods with these addresses are not ready',
        command: 'kubectl -n ns1 get pods -o wide',
      },
    ])
  })

  it('names no node for remote endpoints without a node name', () => {
    const services = [loadBalancer({ externalTrafficPolicy: 'Local' })]
    const packet = { ...FROM.outside, destination: '203.0.113.1' }
    const { steps } = onlyDiagnosis({ input: { ...READY, services }, packet }, 'droppedNoLocalEndpoints')
    expect(steps[0]?.text).toBe(
      'Configure the load balancer, or the router that announces 203.0.113.1, to send to nodes with an endpoint only',
    )
  })

  it('lists unready local endpoints if the node has no ready endpoint', () => {
    const services = [service({ internalTrafficPolicy: 'Local' })]
    const endpoint = (address: string, nodeName: string, ready: boolean) => ({
      addresses: [address],
      nodeName,
      conditions: { ready },
    })
    const endpointSlices = [slice([endpoint('10.244.1.1', 'node-1', false), endpoint('10.244.2.1', 'node-2', true)])]
    const { summary, cause, steps } = onlyDiagnosis({ input: { services, endpointSlices } }, 'droppedNoLocalEndpoints')
    expect(summary).toMatch(/ are dropped: ns1\/web:http has no ready endpoint on this node$/)
    expect(cause).toBe(
      'internalTrafficPolicy of Service ns1/web is Local, so a node uses only its own endpoints; not ready: 10.244.1.1:8080; nodes with endpoints: node-2; the rules of this node are correct',
    )
    expect(steps).toEqual([
      {
        text: 'Run a ready pod of the Service on this node; kubectl lists the pods on the node',
        command: 'kubectl -n ns1 get pods -o wide --field-selector spec.nodeName=node-1',
      },
      {
        text: 'If pods on other nodes are acceptable, set internalTrafficPolicy of Service ns1/web to Cluster',
        command: `kubectl -n ns1 patch svc web -p '{"spec":{"internalTrafficPolicy":"Cluster"}}'`,
        change: { kind: 'patchService', namespace: 'ns1', name: 'web', spec: { internalTrafficPolicy: 'Cluster' } },
        outcome: 'the packets reach 10.244.2.1:8080',
        impact:
          'for all clients: packets may go to pods on other nodes; also, packets from the node itself to 10.96.0.1:80/TCP and packets from external clients to 10.96.0.1:80/TCP reach 10.244.2.1:8080 (before: are dropped)',
      },
    ])
  })
})

describe('the diagnosis of topology hints', () => {
  const hinted = (address: string, zone?: string): SliceEndpoint => ({
    addresses: [address],
    hints: zone === undefined ? {} : { forZones: [{ name: zone }] },
  })
  const inZone = (...endpoints: readonly SliceEndpoint[]) => ({
    nodes: [nodeOf({ 'topology.kubernetes.io/zone': 'zone-a' })],
    endpointSlices: [slice(endpoints)],
  })

  it('reports ignored hints if the node has no zone', () => {
    const endpointSlices = [slice([hinted('10.244.1.1', 'zone-b')])]
    const { cause, steps } = onlyDiagnosis({ input: { endpointSlices } }, 'ignoredHints')
    expect(cause).toMatch(/^Node node-1 has no label topology\.kubernetes\.io\/zone, so no hint of Service ns1\/web /)
    expect(steps[0]?.command).toBe('kubectl label node node-1 topology.kubernetes.io/zone=ZONE')
  })

  it('reports ignored hints if the node is unknown', () => {
    const endpointSlices = [slice([hinted('10.244.1.1', 'zone-b')])]
    const { cause } = onlyDiagnosis({ input: { endpointSlices, nodes: [] }, options: { nodeName: '' } }, 'ignoredHints')
    expect(cause).toMatch(/^the node has no label topology/)
  })

  it('reports ignored hints if no hint matches the zone of the node', () => {
    const { cause } = onlyDiagnosis({ input: inZone(hinted('10.244.1.1', 'zone-b')) }, 'ignoredHints')
    expect(cause).toMatch(/^no ready endpoint of Service ns1\/web has a hint for zone-a, the zone of this node/)
  })

  it('is absent if every endpoint has a hint and at least one hint matches the zone', () => {
    const input = inZone(hinted('10.244.1.1', 'zone-a'), hinted('10.244.1.2', 'zone-b'))
    expect(diagnosesTo({ input })).toEqual([])
  })

  it('reports that kube-proxy 1.30 ignores hints if the annotation is missing', () => {
    const input = inZone(hinted('10.244.1.1', 'zone-a'), hinted('10.244.1.2', 'zone-b'))
    const options = { kubernetesVersion: '1.30' }
    const { summary, cause, steps, rule, ruleStatus } = onlyDiagnosis({ input, options }, 'changedByVersion')
    expect(summary).toBe(
      'On node node-1, with kube-proxy 1.30, packets from a pod to 10.96.0.1:80/TCP reach 10.244.1.1:8080, 10.244.1.2:8080; from 1.31 on they reach 10.244.1.1:8080',
    )
    expect(cause).toBe('kube-proxy 1.31 and newer interpret Service ns1/web differently')
    expect(steps).toEqual([
      {
        text: 'Update kube-proxy to 1.31 or newer',
        change: { kind: 'changeProxy', version: '1.31' },
        outcome: 'the packets reach 10.244.1.1:8080',
        impact: 'kube-proxy must not be newer than the API server: update the control plane first',
      },
    ])
    expect(`${ruleStatus}: ${rule}`).toMatch(/^in table nat: -A KUBE-SEP-/)
  })
})

describe('the diagnosis of a rule of another program', () => {
  const before = (rule: string) => (dump: string) => dump.replace('-A FORWARD ', `${rule}\n-A FORWARD `)

  it('reports a rule that drops packets before they reach a rule of the Service', () => {
    const { summary, cause, steps, rule, ruleStatus } = onlyDiagnosis(
      { input: {}, change: before('-A FORWARD -s 10.244.0.0/16 -j DROP') },
      'foreignRule',
    )
    expect(summary).toBe(
      'On node node-1, packets from a pod to 10.96.0.1:80/TCP are dropped by a rule of another program, such as a firewall',
    )
    expect(cause).toBe(
      "rule 1 of FORWARD, which is not kube-proxy's, drops them before any rule of Service ns1/web applies",
    )
    // A rule that accepts them also comes before the rule of kube-proxy that rejects them, so it is no fix.
    expect(steps).toEqual([
      {
        text: 'Find out which program owns the rule, and configure it to accept TCP to 10.96.0.1:80 (ns1/web:http) on every node',
      },
    ])
    expect(`${ruleStatus}: ${rule}`).toBe('in table filter: -A FORWARD -s 10.244.0.0/16 -j DROP')
  })

  it('lists a command that accepts packets to every endpoint', () => {
    const endpointSlices = [slice(at('10.244.1.1', '10.244.1.2', '10.244.1.3'))]
    const { summary, cause, steps } = onlyDiagnosis(
      { input: { endpointSlices }, change: before('-A FORWARD -j DROP') },
      'foreignRule',
    )
    expect(summary).toMatch(/ are dropped by a rule of another program, such as a firewall$/)
    expect(cause).toMatch(
      /^kube-proxy sends them to 10\.244\.1\.1:8080, 10\.244\.1\.2:8080, 10\.244\.1\.3:8080, endpoints of Service /,
    )
    expect(steps.map(({ command }) => command)).toEqual([
      'iptables -t filter -I FORWARD 1 -s 10.244.0.0/16 -d 10.244.1.1,10.244.1.2,10.244.1.3 -p tcp --dport 8080 -j ACCEPT',
      undefined,
    ])
  })

  it('ignores the rule of Calico for interfaces that it does not manage, unless the packet certainly reaches it', () => {
    const dispatch = (rules: string) => (dump: string) =>
      dump
        .replace(':FORWARD ACCEPT [0:0]', ':FORWARD ACCEPT [0:0]\n:cali-from-wl-dispatch - [0:0]')
        .replace(
          '-A FORWARD ',
          `-A FORWARD -j cali-from-wl-dispatch\n${rules}-A cali-from-wl-dispatch -m comment --comment "cali:oEYw" -m comment --comment "Unknown interface" -j DROP\n-A FORWARD `,
        )
    const ofPod = '-A cali-from-wl-dispatch -i cali1234 -j RETURN\n'
    expect(diagnosesTo({ input: READY, change: dispatch(ofPod) })).toEqual([])
    expect(onlyDiagnosis({ input: READY, change: dispatch('') }, 'foreignRule').summary).toMatch(/ are dropped by /)
  })

  it('names no expected endpoint when the rules send packets elsewhere', () => {
    const change = (dump: string) => before('-A FORWARD -j DROP')(dump).replaceAll('10.244.1.1:8080', '10.244.9.9:8080')
    const { cause } = onlyDiagnosis({ input: READY, change }, 'foreignRule')
    expect(cause).toMatch(
      /^kube-proxy sends them to 10\.244\.9\.9:8080, no longer an endpoint of Service ns1\/web; then /,
    )
  })

  it('reports a rule that drops packets to only some endpoints', () => {
    const endpointSlices = [slice(at('10.244.1.1', '10.244.1.2'))]
    const { summary, steps } = onlyDiagnosis(
      { input: { endpointSlices }, change: before('-A FORWARD -d 10.244.1.2/32 -j DROP') },
      'foreignRule',
    )
    expect(summary).toMatch(/ may be dropped by a rule of another program, such as a firewall$/)
    expect(steps[0]?.command).toContain(' -d 10.244.1.2 ')
  })

  it('reports the policy of a chain with a command that appends a rule to the chain', () => {
    const change = (dump: string) =>
      dump.replace(':FORWARD ACCEPT', ':FORWARD DROP').replace(/^-A KUBE-FORWARD .*\n/gm, '')
    const { summary, cause, steps, rule, ruleStatus } = onlyDiagnosis({ input: READY, change }, 'foreignRule')
    expect(summary).toMatch(/ are dropped by the policy of FORWARD, because no rule there accepts them$/)
    expect(cause).toBe(
      "kube-proxy sends them to 10.244.1.1:8080, an endpoint of Service ns1/web; then the policy of FORWARD, which is not kube-proxy's, drops them",
    )
    expect(steps[0]).toMatchObject({
      text: 'Accept the packets in that chain, as root on node node-1',
      command: 'iptables -t filter -A FORWARD -s 10.244.0.0/16 -d 10.244.1.1 -p tcp --dport 8080 -j ACCEPT',
    })
    expect(`${ruleStatus}: ${rule}`).toBe('in table filter: -P FORWARD DROP')
  })

  it('does not report a rule with the comment "policy" as the policy of its chain', () => {
    const change = before('-A FORWARD -m comment --comment policy -j DROP')
    const { summary, cause, steps, rule, ruleStatus } = onlyDiagnosis({ input: READY, change }, 'foreignRule')
    expect(summary).toMatch(/ are dropped by a rule of another program, such as a firewall$/)
    expect(cause).toMatch(/; then rule 1 of FORWARD, which is not kube-proxy's, drops them$/)
    expect(steps[0]).toMatchObject({
      text: 'Accept the packets before that rule, as root on node node-1',
      command: 'iptables -t filter -I FORWARD 1 -s 10.244.0.0/16 -d 10.244.1.1 -p tcp --dport 8080 -j ACCEPT',
    })
    expect(`${ruleStatus}: ${rule}`).toBe('in table filter: -A FORWARD -m comment --comment policy -j DROP')
  })

  it('treats rules in custom chains as network policies', () => {
    const change = (dump: string) =>
      dump
        .replace('*filter\n', '*filter\n:NET-POLICY - [0:0]\n')
        .replace('-A FORWARD ', '-A FORWARD -j NET-POLICY\n-A NET-POLICY -j DROP\n-A FORWARD ')
    const { steps } = onlyDiagnosis({ input: READY, change }, 'foreignRule')
    expect(steps).toEqual([
      {
        text: 'Check with kubectl whether a network policy is the reason, if NET-POLICY belongs to the network plugin',
        command: 'kubectl get networkpolicies -A',
      },
      {
        text: 'If no NetworkPolicy is the reason, find out which program owns the rule, and configure it to accept TCP to 10.244.1.1:8080 (ns1/web:http)',
      },
    ])
  })

  it('lists a command without a source address if the packet is external', () => {
    const services = [service({ type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: 30080 }] })]
    const packet = { ...FROM.outside, destination: '192.168.0.2', destinationPort: 30080 }
    const { steps } = onlyDiagnosis(
      { input: { ...READY, services }, packet, change: before('-A FORWARD -j DROP') },
      'foreignRule',
    )
    expect(steps[0]?.command).toBe('iptables -t filter -I FORWARD 1 -d 10.244.1.1 -p tcp --dport 8080 -j ACCEPT')
  })

  it('reports a rule with an unknown match that may accept packets before kube-proxy rejects them', () => {
    const change = before('-A FORWARD -m time --timestart 08:00:00 -j ACCEPT')
    const { summary, cause } = onlyDiagnosis({ change }, 'foreignOrder')
    expect(summary).toMatch(
      / may time out: Service ns1\/web has no usable endpoint, and another program keeps kube-proxy from rejecting them at once$/,
    )
    expect(cause).toMatch(
      /^kube-proxy would reject them, but its rule \d of FORWARD \(KUBE-SERVICES\) comes after rule 1, which accepts them$/,
    )
  })

  it('reports a rule that accepts packets before kube-proxy drops them', () => {
    const services = [service({ internalTrafficPolicy: 'Local' })]
    const input = { services, ...of({ ready: true }) }
    const { summary, steps } = onlyDiagnosis({ input, change: before('-A FORWARD -j ACCEPT') }, 'foreignOrder')
    expect(summary).toMatch(/ get through instead of being dropped: another program accepts them first$/)
    expect(steps).toEqual([{ text: "Configure that program to insert its rule after kube-proxy's" }])
  })

  it('reports a rule that changes the source before kube-proxy does', () => {
    const services = [service({ type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: 30080 }] })]
    const change = (dump: string) =>
      dump.replace(
        '-A POSTROUTING ',
        '-A POSTROUTING -d 10.244.0.0/16 -j SNAT --to-source 192.168.0.2\n-A POSTROUTING ',
      )
    const packet = { ...FROM.outside, destination: '192.168.0.2', destinationPort: 30080 }
    const { cause, steps } = onlyDiagnosis({ input: { ...READY, services }, packet, change }, 'sourceTakenFirst')
    expect(cause).toMatch(
      /^rule 1 of POSTROUTING changes the source of packets of Service ns1\/web, .*; rule 2 \(KUBE-POSTROUTING\) comes too late$/,
    )
    expect(steps).toEqual([
      { text: "Configure that program to insert its rule after kube-proxy's, or to exclude packets of ns1/web:http" },
    ])
  })

  it('names the Service from the rules if there are no objects', () => {
    const result = compile(
      { configuration: CONFIGURATION, services: [service()], ...READY },
      { mode: 'iptables', families: ['IPv4'] },
    )
    const text = result.families.map(({ state }) => print(state, { format: 'save' })).join('')
    const state = annotateOwners(readDump(before('-A FORWARD -j REJECT --reject-with icmp-host-prohibited')(text)).IPv4)
    const packet: Packet = { ...FROM.pod, protocol: 'TCP', destination: '10.96.0.1', destinationPort: 80 }
    const traceContext = { addresses: ['192.168.0.2'] }
    expect(diagnosePacket(explain(state, packet, traceContext), state, traceContext)).toMatchObject([
      {
        code: 'foreignRule',
        object: 'Service ns1/web',
        summary: expect.stringMatching(/^Packets from a pod to /),
        cause:
          "kube-proxy sends them to 10.244.1.1:8080, an endpoint of Service ns1/web; then rule 1 of FORWARD, which is not kube-proxy's, rejects them",
        steps: [
          {
            command: 'iptables -t filter -I FORWARD 1 -d 10.244.1.1 -p tcp --dport 8080 -j ACCEPT',
            outcome: 'the packets reach 10.244.1.1:8080',
          },
          { text: expect.stringMatching(/^For a permanent fix, find out which program owns the rule/) },
        ],
      },
    ])
  })
})

describe('the diagnosis of a rule of a known program', () => {
  const insert =
    (rule: string, at = 'FORWARD') =>
    (dump: string) =>
      dump.replace(`-A ${at} `, `${rule}\n-A ${at} `)
  const chain = (name: string) => (dump: string) => dump.replace('*filter\n', `*filter\n:${name} - [0:0]\n`)

  it('names the network plugin that drops packets, and how to find its policy', () => {
    const change = (dump: string) =>
      insert('-A FORWARD -j cali-FORWARD\n-A cali-FORWARD -j DROP')(chain('cali-FORWARD')(dump))
    const { summary, cause, steps } = onlyDiagnosis({ input: READY, change }, 'foreignRule')
    expect(summary).toBe('On node node-1, packets from a pod to 10.96.0.1:80/TCP are dropped by a rule of Calico')
    expect(cause).toBe(
      'kube-proxy sends them to 10.244.1.1:8080, an endpoint of Service ns1/web; then rule 1 of cali-FORWARD, which belongs to Calico, drops them',
    )
    expect(steps).toEqual([
      {
        text: 'Check with kubectl whether a network policy is the reason',
        command: 'kubectl get networkpolicies -A',
      },
      { text: 'If that does not help, configure Calico to accept TCP to 10.244.1.1:8080 (ns1/web:http)' },
    ])
  })

  it('names kube-router for its chains, although their names start with KUBE-', () => {
    const change = (dump: string) =>
      insert('-A FORWARD -j KUBE-ROUTER-FORWARD\n-A KUBE-ROUTER-FORWARD -j REJECT')(chain('KUBE-ROUTER-FORWARD')(dump))
    expect(onlyDiagnosis({ input: READY, change }, 'foreignRule').summary).toMatch(
      / are rejected by a rule of kube-router$/,
    )
  })

  it('calls a program likely if only other chains in the table suggest it', () => {
    const change = (dump: string) =>
      chain('DOCKER-USER')(dump)
        .replace(':FORWARD ACCEPT', ':FORWARD DROP')
        .replace(/^-A KUBE-FORWARD .*\n/gm, '')
    const { summary, cause, steps } = onlyDiagnosis({ input: READY, change }, 'foreignRule')
    expect(summary).toMatch(/ are dropped by a rule of another program \(probably Docker\)$/)
    expect(cause).toMatch(/; then the policy of FORWARD, which Docker probably sets, drops them$/)
    expect(steps.map(({ text }) => text)).toEqual([
      'Accept the packets in that chain, as root on node node-1',
      'For a permanent fix on every node, stop Docker from changing the policy of FORWARD: set "ip-forward-no-drop": true in /etc/docker/daemon.json (Docker 28 or newer), or accept the network of the pods in chain DOCKER-USER',
    ])
  })

  it('recognizes the last rule of firewalld', () => {
    const change = (dump: string) =>
      insert('-A FORWARD -j REJECT --reject-with icmp-host-prohibited')(chain('FWDI_public')(dump))
    const { cause } = onlyDiagnosis({ input: READY, change }, 'foreignRule')
    expect(cause).toMatch(/; then rule 1 of FORWARD, which probably belongs to firewalld, rejects them$/)
  })

  it('names the program that accepts packets first, and how to change the order', () => {
    const change = (dump: string) =>
      insert('-A FORWARD -j cali-FORWARD\n-A cali-FORWARD -j ACCEPT')(chain('cali-FORWARD')(dump))
    const { summary, steps } = onlyDiagnosis({ change }, 'foreignOrder')
    expect(summary).toMatch(/ time out: Service ns1\/web has no usable endpoint, and Calico keeps kube-proxy from /)
    expect(steps[1]?.command).toMatch(/^kubectl patch felixconfiguration default /)
  })

  it('names a program without a setting for the order of its rules', () => {
    const services = [service({ internalTrafficPolicy: 'Local' })]
    const change = insert('-A FORWARD -i docker0 -j ACCEPT\n-A FORWARD -m mark ! --mark 0x40000/0xff0000 -j ACCEPT')
    const { steps } = onlyDiagnosis({ input: { services, ...of({ ready: true }) }, change }, 'foreignOrder')
    expect(steps).toEqual([{ text: "Configure Tailscale to insert its rule after kube-proxy's" }])
  })

  it.each([
    [
      'a DNS cache',
      '-A PREROUTING -p tcp -m comment --comment "NodeLocal DNS Cache: skip conntrack" -j NOTRACK',
      'raw',
    ],
    [
      'a service mesh',
      '-A PREROUTING -p tcp -m comment --comment "proxy-init/redirect-all-incoming-to-proxy-port" -j REDIRECT --to-ports 4143',
      'nat',
    ],
  ])('calls it normal that %s serves packets itself', (_, rule, table) => {
    // The network namespace of a pod has no rules of kube-proxy.
    const change = (dump: string) =>
      `${table === 'raw' ? dump : ''}*${table}\n:PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n${rule}\nCOMMIT\n`
    const { summary, steps, rule: cited } = onlyDiagnosis({ input: READY, change }, 'servedByNeighbor')
    expect(summary).toMatch(
      /^On node node-1, packets from a pod to 10\.96\.0\.1:80\/TCP are not for kube-proxy: .*\. This is normal$/,
    )
    expect(steps[0]?.text).toMatch(/^Do nothing: this is how (?:NodeLocal DNSCache|Linkerd) works$/)
    expect(cited).toContain(' -m comment --comment ')
  })

  it('does not call it normal that rules of a service mesh for pods are on a node with kube-proxy', () => {
    const rule =
      '-A PREROUTING -p tcp -m comment --comment "proxy-init/redirect-all-incoming-to-proxy-port" -j REDIRECT --to-ports 4143'
    const { summary, steps } = onlyDiagnosis({ input: READY, change: insert(rule, 'PREROUTING') }, 'translatedFirst')
    expect(summary).toBe(
      'On node node-1, packets from a pod to 10.96.0.1:80/TCP go to local port 4143 of the node instead of an endpoint: Linkerd changes their destination',
    )
    expect(steps.map(({ text }) => text)).toEqual([
      'Find out what wrote rules of Linkerd on the node, and remove them: Linkerd needs them only in the network namespaces of pods',
    ])
  })

  it('names the pod of a hostPort as the reason why a node port does not work', () => {
    const services = [service({ type: 'NodePort', ports: [{ name: 'http', port: 80, nodePort: 30080 }] })]
    const change = (dump: string) =>
      insert(
        '-A PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT\n-A CNI-HOSTPORT-DNAT -p tcp -m multiport --dports 30080,30443 -j CNI-DN-0a1b2c3d4e5f60718293a\n-A CNI-DN-0a1b2c3d4e5f60718293a -p tcp -m tcp --dport 30080 -j DNAT --to-destination 10.244.1.9:80',
        'PREROUTING',
      )(dump.replace('*nat\n', '*nat\n:CNI-HOSTPORT-DNAT - [0:0]\n:CNI-DN-0a1b2c3d4e5f60718293a - [0:0]\n'))
    const packet = { ...FROM.outside, destination: '192.168.0.2', destinationPort: 30080 }
    const { summary, cause, steps } = onlyDiagnosis(
      { input: { ...READY, services }, packet, change },
      'translatedFirst',
    )
    expect(summary).toBe(
      'On node node-1, packets from external clients to 192.168.0.2:30080/TCP go to 10.244.1.9:80 instead of an endpoint: CNI portmap (hostPort) changes their destination',
    )
    expect(cause).toBe(
      'rule 1 of CNI-DN-0a1b2c3d4e5f60718293a, which belongs to CNI portmap (hostPort), applies before the rules of Service ns1/web, and the first change of a destination counts',
    )
    expect(steps).toEqual([
      {
        text: 'If this pod should not get the packets, find it by its address with kubectl, and change its hostPort',
        command: 'kubectl get pods -A -o wide',
      },
    ])
  })

  it('names the program that excludes packets from connection tracking but does not serve them', () => {
    const change = (dump: string) =>
      `${dump}*raw\n:PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A PREROUTING -i cali+ -m comment --comment "cali:abc" -j CT --notrack\n-A PREROUTING -m comment --comment "cali:def" -j CT --notrack\nCOMMIT\n`
    const { steps } = onlyDiagnosis({ input: READY, change }, 'untracked')
    expect(steps[0]?.text).toBe(
      'Configure Calico to track packets to addresses of Services, such as 10.96.0.1, port 80/TCP',
    )
  })
})

describe('the diagnosis of an existing flow', () => {
  it('recommends that TCP clients open a new connection', () => {
    const { steps } = onlyDiagnosis({ input: READY, established: true }, 'establishedFlow')
    expect(steps.map(({ text }) => text)).toEqual([
      'Reconnect the clients; the node needs no repair, and kube-proxy removes entries of UDP clients only',
    ])
  })
})

describe('the diagnosis in ipvs mode', () => {
  it('reports a virtual server without its real servers', () => {
    const change = (dump: string) => dump.replace(/^-a .*\n/m, '')
    const { cause, steps } = onlyDiagnosis({ input: READY, options: { mode: 'ipvs' }, change }, 'emptyVirtualServer')
    expect(cause).toMatch(
      /^Service ns1\/web has endpoints that kube-proxy did not write, and ipvs mode handles packets to 10\.96\.0\.1 on the node itself/,
    )
    expect(steps).toEqual([
      {
        text: 'Restart kube-proxy on node node-1. If it is a system service, restart that service on the node; if its pods have the label k8s-app=kube-proxy, run',
        command: 'kubectl -n kube-system delete pod -l k8s-app=kube-proxy --field-selector spec.nodeName=node-1',
        change: { kind: 'rewriteRules' },
        outcome: 'the packets reach 10.244.1.1:8080',
        impact:
          'kube-proxy writes all its rules again, and existing connections continue; to check, repeat this kube-rules command with a new dump: it finds no differences',
      },
      {
        text: 'If that does not help, run kube-rules verify with the same objects and --dump to list the missing rules',
      },
    ])
  })

  it('recommends a restart if a local endpoint has no real server', () => {
    const services = [service({ internalTrafficPolicy: 'Local' })]
    const change = (dump: string) => dump.replace(/^-a .*\n/m, '')
    const endpointSlices = [slice([{ addresses: ['10.244.1.1'], nodeName: 'node-1' }])]
    const question = { input: { services, endpointSlices }, options: { mode: 'ipvs' as const }, change }
    const { cause, steps } = onlyDiagnosis(question, 'emptyVirtualServer')
    expect(cause).toMatch(/^Service ns1\/web has endpoints that kube-proxy did not write, /)
    expect(steps[0]?.outcome).toBe('the packets reach 10.244.1.1:8080')
  })
})

describe('the diagnosis of a hairpin packet', () => {
  const packet = { source: '10.244.1.1' }

  it('recommends a restart of kube-proxy if iptables rules are missing', () => {
    const change = (dump: string) => dump.replace(/^-A KUBE-SEP-\S+ -s .*\n/m, '')
    const { summary, cause, steps, ruleStatus } = onlyDiagnosis(
      { input: READY, packet, change },
      'hairpinNotMasqueraded',
    )
    expect(summary).toBe('On node node-1, pod 10.244.1.1 gets no reply if Service ns1/web selects the pod itself')
    expect(cause).toMatch(/, and no rule does so for 10\.244\.1\.1:8080$/)
    expect(steps[0]?.command).toMatch(/^kubectl -n kube-system delete pod /)
    expect(ruleStatus).toBe('in table nat, sends it to itself')
  })

  it('names an ipset entry in ipvs mode only if that entry is missing', () => {
    const endpointSlices = [slice([{ addresses: ['10.244.1.1'], nodeName: 'node-1' }])]
    const options = { mode: 'ipvs' as const }
    const lacking = (line: RegExp) => (dump: string) => dump.replace(line, '')
    const answered = (line: RegExp) => {
      const question = { input: { endpointSlices }, options, packet, change: lacking(line) }
      return onlyDiagnosis(question, 'hairpinNotMasqueraded')
    }
    expect(answered(/^add KUBE-LOOP-BACK .*\n/m).rule).toBe('ipset KUBE-LOOP-BACK 10.244.1.1,tcp:8080,10.244.1.1')
    expect(answered(/^-A KUBE-POSTROUTING .*LOOP-BACK.*\n/m).cause).toMatch(/no rule does so/)
  })
})

describe('the diagnosis of a mode limitation', () => {
  it('recommends the modes that do not have the limitation', () => {
    const services = [loadBalancer()]
    const packet = { ...FROM.node, destination: '203.0.113.1' }
    const { summary, cause, steps } = onlyDiagnosis({ input: { services }, packet }, 'limitedByMode')
    expect(cause).toMatch(/ does not implement this for .* \(limitation ownPacketsNotRejected\): /)
    expect(summary).toBe(
      'On node node-1, packets from the node itself to 203.0.113.1:80/TCP are not handled by kube-proxy; according to the Service, the outcome should be: rejected',
    )
    expect(steps.map(({ text }) => text)).toEqual([
      'Do not rely on the definition of the Service for these packets in this mode; the node behaves as kube-proxy implements this mode',
      expect.stringMatching(
        /^If you need it, plan to change all nodes: set the mode key in config\.conf to (?:ipvs|nftables)/,
      ),
      'Then restart kube-proxy on all nodes with kubectl',
    ])
  })
})

describe('a packet that another program translates or does not track', () => {
  const before = (rule: string) => (dump: string) => dump.replace(/^-A PREROUTING /m, `${rule}\n-A PREROUTING `)
  const READY_INPUT = { endpointSlices: [slice(at('10.244.1.1'))] }

  it.each([
    ['-A PREROUTING -p tcp -m tcp --dport 80 -j REDIRECT --to-ports 8081', 'local port 8081 of the node'],
    ['-A PREROUTING -d 10.96.0.1/32 -p tcp -j DNAT --to-destination 10.9.9.9:1', '10.9.9.9:1'],
  ])('is diagnosed for the rule %s', (rule, target) => {
    const diagnosis = onlyDiagnosis({ input: READY_INPUT, change: before(rule) }, 'translatedFirst')
    expect(diagnosis).toMatchObject({
      summary: `On node node-1, packets from a pod to 10.96.0.1:80/TCP go to ${target} instead of an endpoint: another program changes their destination`,
      object: 'Service ns1/web',
      rule,
      ruleStatus: 'in table nat',
    })
    expect(diagnosis.cause).toBe(
      "rule 1 of PREROUTING, which is not kube-proxy's, applies before the rules of Service ns1/web, and the first change of a destination counts",
    )
  })

  it.each(['NOTRACK', 'CT --notrack'])('is diagnosed for the target %s', (target) => {
    const rule = `-A PREROUTING -p tcp -m tcp --dport 80 -j ${target}`
    const change = (dump: string) => `*raw\n:PREROUTING ACCEPT [0:0]\n${rule}\nCOMMIT\n${dump}`
    const { summary, cause, ruleStatus } = onlyDiagnosis({ input: READY_INPUT, change }, 'untracked')
    expect(summary).toBe(
      'On node node-1, packets from a pod to 10.96.0.1:80/TCP keep their destination: another program excludes them from connection tracking',
    )
    expect(cause).toBe(
      "rule 1 of PREROUTING, which is not kube-proxy's, excludes them, and the kernel changes addresses of tracked packets only, so the rules of Service ns1/web do not apply",
    )
    expect(ruleStatus).toBe('in table raw')
  })

  const withTable = (hook: string, priority: string, rule: string) => (dump: string) =>
    `${dump}table ip other {\n\tchain c {\n\t\ttype ${hook} priority ${priority}; policy accept;\n\t\t${rule}\n\t}\n}\n`

  it('is diagnosed for a rule of nftables that excludes it from connection tracking', () => {
    const change = withTable('filter hook prerouting', 'raw', 'ip daddr 10.96.0.0/16 notrack')
    const { cause, rule } = onlyDiagnosis({ input: READY_INPUT, change, options: { mode: 'nftables' } }, 'untracked')
    expect(cause).toBe(
      "a rule of chain c in table ip other, which is not kube-proxy's, excludes them, and the kernel changes addresses of tracked packets only, so the rules of Service ns1/web do not apply",
    )
    expect(rule).toBe('ip daddr 10.96.0.0/16 notrack')
  })

  it('is diagnosed for a rule of nftables that changes the source of packets that kube-proxy does not masquerade', () => {
    const change = withTable('nat hook postrouting', '95', 'ip daddr 10.244.0.0/16 snat to 192.0.2.200')
    const given = { input: READY_INPUT, change, options: { mode: 'nftables' } } as const
    const { summary, cause } = onlyDiagnosis(given, 'sourceTakenFirst')
    expect(summary).toBe(
      'On node node-1, packets from a pod to 10.96.0.1:80/TCP get another source address from another program; kube-proxy does not change it',
    )
    expect(cause).toBe(
      'a rule of chain c in table ip other changes the source of packets of Service ns1/web, so the endpoints do not see the address of the client',
    )
  })

  it.each([
    ['policy drop;', 'the policy of chain fwd in table inet fw'],
    ['policy accept; ip daddr 10.244.1.1 drop', 'a rule of chain fwd in table inet fw'],
  ])('is diagnosed as dropped by the nftables chain "%s"', (body, rule) => {
    const table = `table inet fw {\n\tchain fwd {\n\t\ttype filter hook forward priority filter; ${body}\n\t}\n}\n`
    const { cause } = onlyDiagnosis({ input: READY_INPUT, change: (dump) => dump + table }, 'foreignRule')
    expect(cause).toBe(
      `kube-proxy sends them to 10.244.1.1:8080, an endpoint of Service ns1/web; then ${rule}, which is not kube-proxy's, drops them`,
    )
  })

  it('is not diagnosed if the rule translates only other packets', () => {
    const change = before('-A PREROUTING -p tcp -m tcp --dport 81 -j REDIRECT --to-ports 8081')
    expect(diagnosesTo({ input: READY_INPUT, change })).toEqual([])
  })
})
