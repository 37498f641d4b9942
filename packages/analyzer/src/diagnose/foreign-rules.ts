import { ruleToolOf } from '@kube-rules/compiler/internal/dataplane/iptables/tools'
import type { PathStep } from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import { familyOf, joinHostPort } from '@kube-rules/types/internal/ip'
import { formatList } from '../explain/format-list.js'
import type { TracePath } from '../trace/trace-paths.js'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import {
  diagnosisRuleOf,
  formatOutcomes,
  formatPackets,
  formatService,
  type PacketFacts,
  prefixWithNode,
} from './packet-facts.js'
import { formatRootHint, formatServiceCommand, withCondition } from './remedies.js'

/**
 * Diagnoses a rule of another program that decides about a packet of a Service, before or after the rules of
 * kube-proxy.
 */
export function diagnoseForeignRule(facts: PacketFacts): Diagnosis | undefined {
  const service = serviceOf(facts)
  if (service === undefined) return undefined
  for (const path of facts.paths) {
    const diagnosis =
      findForeignRejection(path, service, facts) ??
      endedBefore(path, service, facts) ??
      sourceTaken(path, service, facts)
    if (diagnosis !== undefined) return diagnosis
  }
  return undefined
}

/** The service port of the packet: `default/web:http` of `Service default/web`. */
interface OfService {
  readonly text: string
  readonly object: string
  readonly namespace: string
  readonly name: string
}

function serviceOf({ paths, expected }: PacketFacts): OfService | undefined {
  const decided =
    expected !== undefined && 'servicePort' in expected.decision ? expected.decision.servicePort : undefined
  if (decided !== undefined) return { ...decided, object: formatService(decided) }
  const owner = paths.flatMap(({ steps }) => steps.map((step) => step.servicePort)).find((each) => each !== '')
  const [, namespace, name] = /^([^/]+)\/([^/:]+)/.exec(owner ?? '') ?? []
  if (owner === undefined || namespace === undefined || name === undefined) return undefined
  const id: Pick<ServicePortId, 'namespace' | 'name'> = { namespace, name }
  return { ...id, text: owner.replace(/\/[A-Z]+$/, ''), object: formatService(id as ServicePortId) }
}

/** Diagnoses a packet that was sent to an endpoint and then rejected or dropped by a rule or policy of another program. */
function findForeignRejection(path: TracePath, { text, object }: OfService, facts: PacketFacts): Diagnosis | undefined {
  const step = path.steps.at(-1)
  const { kind } = path.outcome
  if (step === undefined || (kind !== 'rejected' && kind !== 'dropped') || !isForeignRule(step, facts)) return undefined
  const targets = targetsOf(path, facts)
  const verb = kind === 'rejected' ? 'rejects' : 'drops'
  const rule = isPolicy(step) ? `the policy of ${formatChain(step)}` : ruleName(step, facts)
  const by = `${rule}, which is not kube-proxy's, ${verb} them`
  const fate = describePossibility(path, formatOutcomes([path]), facts.paths.length > 1)
  return {
    code: 'foreignRule',
    summary: prefixWithNode(
      facts.expected?.plan,
      `${formatPackets(facts.packet)} ${fate} by a rule of another program, such as a firewall`,
    ),
    cause:
      targets.length === 0
        ? `${by} before any rule of ${object} applies`
        : `kube-proxy sends them to ${formatList(targets)}, ${targets.length === 1 ? 'an endpoint' : 'endpoints'} of ${object}; then ${by}`,
    steps: acceptSteps(step, targets, text, facts),
    object,
    ...diagnosisRuleOf(isPolicy(step) ? { ...step, text: formatPolicy(step) } : step),
  }
}

/**
 * Returns the endpoints with packets that have the outcome of a path: the endpoint of the path, and every expected
 * endpoint that no packet reaches, because one path represents all endpoints with equal outcomes. Empty if the path
 * ends before its destination changes.
 */
function targetsOf({ steps }: TracePath, { paths, expected }: PacketFacts): readonly string[] {
  const own = targetOf(steps)
  if (own === undefined) return []
  const decision = expected?.decision
  const endpoints = decision?.kind === 'endpoints' ? decision.candidates.map(({ endpoint }) => endpoint.text) : []
  const reached = paths.flatMap(({ outcome }) =>
    outcome.kind === 'delivered' ? joinHostPort(outcome.address, outcome.port) : [],
  )
  return [...new Set([own, ...endpoints.filter((endpoint) => !reached.includes(endpoint))])]
}

/** Returns the last destination that a path translates to: `10.244.1.1:8080`; undefined if no step translates it. */
function targetOf(steps: TracePath['steps']): string | undefined {
  const sent = steps.filter(({ rewrites }) => rewrites === 'destination').at(-1)
  return sent?.target.split(' ').at(-1)
}

function isPolicy({ comment }: PathStep): boolean {
  return comment === 'policy'
}

/** Formats a policy as its tool does: `-P FORWARD DROP`. */
function formatPolicy({ table, chain, text, target }: PathStep): string {
  return table.startsWith('iptables ') ? `-P ${chain} ${target}` : text
}

/**
 * Steps that accept the packets before the rule if its chain is built-in. A rule in another chain belongs to the
 * program that owns the chain.
 */
function acceptSteps(
  step: PathStep,
  targets: readonly string[],
  text: string,
  facts: PacketFacts,
): readonly DiagnosisStep[] {
  const { packet, expected } = facts
  const places = targets.length === 0 ? [joinHostPort(packet.destination, packet.destinationPort)] : targets
  const accept = `Configure the program that owns the rule to accept ${packet.protocol} to ${formatList(places)} (${text})`
  if (!/^[A-Z]+$/.test(step.chain) || expected === undefined) {
    return [
      {
        text: `Check with kubectl whether a network policy is the reason, if ${step.chain} belongs to the network plugin`,
        command: 'kubectl get networkpolicies -A',
      },
      { text: withCondition('If no NetworkPolicy is the reason', accept) },
    ]
  }
  const where = isPolicy(step) ? 'in that chain' : 'before that rule'
  return [
    ...Array.from(addressesByPort(places), ([port, addresses]) => ({
      text: `Accept the packets ${where}, ${formatRootHint(expected.plan)}`,
      command: acceptCommand(step, addresses, port, facts),
      impact: 'effective at once, until the program that owns the rule reloads its rules',
    })),
    { text: withCondition('For a permanent fix', `${accept} on every node`) },
  ]
}

/** Groups the addresses of endpoints such as `10.244.1.1:8080` by port, because a rule matches one port. */
function addressesByPort(places: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const byPort = new Map<string, string[]>()
  for (const place of places) {
    const [, address = '', port = ''] = /^\[?([^\]]*?)\]?:(\d+)$/.exec(place) ?? []
    const existing = byPort.get(port)
    if (existing === undefined) byPort.set(port, [address])
    else existing.push(address)
  }
  return byPort
}

/** Returns the command that accepts packets before a rule of a built-in chain, or at its end if its policy drops them. */
function acceptCommand(step: PathStep, addresses: readonly string[], port: string, facts: PacketFacts): string {
  const { packet, expected } = facts
  const detection = packet.origin === 'pod' ? expected?.plan.node.localTrafficDetection : undefined
  const from = detection?.kind === 'cidr' ? ` -s ${detection.cidr.text}` : ''
  const tool = ruleToolOf(familyOf(packet.destination))
  const table = step.table.replace('iptables ', '')
  const place = isPolicy(step) ? `-A ${step.chain}` : `-I ${step.chain} ${indexOf(step, facts)}`
  return `${tool} -t ${table} ${place}${from} -d ${addresses.join(',')} -p ${packet.protocol.toLowerCase()} --dport ${port} -j ACCEPT`
}

/**
 * Diagnoses a packet that a rule of another program accepts in a built-in chain before it reaches the kube-proxy rules.
 */
function endedBefore(path: TracePath, service: OfService, facts: PacketFacts): Diagnosis | undefined {
  const { object } = service
  const expected = facts.expected?.decision.kind
  if (path.outcome.kind !== 'unmatched' || (expected !== 'reject' && expected !== 'drop')) return undefined
  const inFilter = path.steps.filter(({ table, target }) => table === 'iptables filter' && target !== 'RETURN')
  const step = inFilter.at(-1)
  if (step?.target !== 'ACCEPT' || !isForeignRule(step, facts)) return undefined
  const entry = inFilter.filter(({ hook, chain }) => hook === step.hook && chain === hook).at(-1)
  const unasked = entry && jumpBehind(entry, facts)
  if (entry === undefined || unasked === undefined) return undefined
  const may = path.assumptions.length > 0
  return {
    code: 'foreignOrder',
    summary: prefixWithNode(
      facts.expected?.plan,
      expected === 'reject'
        ? `${formatPackets(facts.packet)} ${may ? 'may time out' : 'time out'}: ${object} has no usable endpoint, and another program keeps kube-proxy from rejecting them at once`
        : `${formatPackets(facts.packet)} ${may ? 'may get through' : 'get through'} instead of being dropped: another program accepts them first`,
    ),
    cause: `kube-proxy would ${expected === 'reject' ? 'reject' : 'drop'} them, but its rule ${unasked.index} of ${entry.chain} (${unasked.chain}) comes after rule ${indexOf(entry, facts)}${entry.jumpsTo === '' ? '' : ` (${entry.jumpsTo})`}, which accepts them`,
    steps:
      expected === 'reject'
        ? [
            endpointStep(service),
            afterStep(entry, 'If clients need an immediate error while the Service has no endpoints (not urgent)'),
          ]
        : [afterStep(entry)],
    object,
    ...diagnosisRuleOf(step),
  }
}

/** A step that adds an endpoint, so that no packet is rejected. */
function endpointStep(service: OfService): DiagnosisStep {
  return {
    text: `Find out why no pod of ${service.object} is ready, and scale or repair its workload; kubectl shows the selector of its pods`,
    command: formatServiceCommand(service, (namespace, name) => `kubectl -n ${namespace} describe svc ${name}`),
  }
}

/** A step that moves the jump of the other program after the jumps of kube-proxy. */
function afterStep({ jumpsTo }: PathStep, condition = ''): DiagnosisStep {
  if (!jumpsTo.startsWith('cali-')) {
    return { text: withCondition(condition, "Configure that program to insert its rule after kube-proxy's") }
  }
  return {
    text: withCondition(condition, "Configure Calico with kubectl to append its rules after kube-proxy's"),
    command: `kubectl patch felixconfiguration default --type merge -p '{"spec":{"chainInsertMode":"Append"}}'`,
    impact:
      'for all nodes: NetworkPolicies no longer apply to packets that other programs, including kube-proxy, accept first; check with the owner of the policies',
  }
}

/** Diagnoses a source translation by kube-proxy that prevents one by another program, or vice versa. */
function sourceTaken(path: TracePath, service: OfService, facts: PacketFacts): Diagnosis | undefined {
  const { text, object } = service
  const behindNat = path.steps.filter(({ hook, table }) => hook === 'POSTROUTING' && table === 'iptables nat')
  const step = behindNat.at(-1)
  const entry = behindNat.filter(({ chain }) => chain === 'POSTROUTING').at(-1)
  if (step === undefined || entry === undefined || !/^(?:MASQUERADE|SNAT)\b/.test(step.target)) return undefined
  const [other] = isForeignRule(step, facts) ? [jumpBehind(entry, facts)] : [facts.nextSourceChange(entry)]
  if (other === undefined) return undefined
  const first = `rule ${indexOf(entry, facts)} of POSTROUTING${entry.jumpsTo === '' ? '' : ` (${entry.jumpsTo})`}`
  const [winner, loser] = isForeignRule(step, facts) ? ['another program', 'kube-proxy'] : ['kube-proxy', other.chain]
  return {
    code: 'sourceTakenFirst',
    summary: prefixWithNode(
      facts.expected?.plan,
      `${formatPackets(facts.packet)} get their source address from ${winner}; ${loser}, which would set another one, does not apply`,
    ),
    cause: `${first} changes the source of packets of ${object}, and the first change ends the chain; rule ${other.index} (${other.chain}) comes too late`,
    steps: isForeignRule(step, facts)
      ? [{ text: `Configure that program to insert its rule after kube-proxy's, or to exclude packets of ${text}` }]
      : keepSourceSteps(service, facts),
    object,
    ...diagnosisRuleOf(step),
  }
}

/**
 * Steps that preserve the source: policy Local for external packets; for other packets the rule of the network plugin
 * must come first.
 */
function keepSourceSteps(service: OfService, { expected }: PacketFacts): readonly DiagnosisStep[] {
  const insertFirst = 'Configure the network plugin to insert its rule first'
  const decision = expected?.decision
  const command = formatServiceCommand(
    service,
    (namespace, name) => `kubectl -n ${namespace} patch svc ${name} -p '{"spec":{"externalTrafficPolicy":"Local"}}'`,
  )
  if (decision === undefined || !('frontend' in decision) || decision.frontend.kind === 'clusterIP' || !command) {
    return [{ text: insertFirst }]
  }
  return [
    {
      text: `Set externalTrafficPolicy of ${service.object} to Local with kubectl`,
      command,
      impact: 'for all clients: pods see their addresses, and only nodes with a pod of the Service accept packets',
    },
    { text: withCondition('If every node has to accept packets', insertFirst) },
  ]
}

function describePossibility({ assumptions }: TracePath, fate: string, isPartial: boolean): string {
  return assumptions.length > 0 || isPartial ? fate.replace(/^are /, 'may be ') : fate
}

/** Reports whether a rule is of another program, in any table of iptables or nftables. */
export function isForeignRule({ table, chain }: PathStep, { isKubernetesChain }: PacketFacts): boolean {
  if (table.startsWith('nftables ')) return !table.endsWith(' kube-proxy')
  return table.startsWith('iptables ') && !isKubernetesChain(`${table.slice('iptables '.length)}/${chain}`)
}

/** Formats the position of a rule: `rule 3 of FORWARD`, `a rule of chain forward in table inet filter`. */
export function ruleName(step: PathStep, facts: PacketFacts): string {
  if (step.table.startsWith('nftables ')) return `a rule of ${formatChain(step)}`
  return `rule ${indexOf(step, facts)} of ${step.chain}`
}

/** Formats a chain: `FORWARD`, `chain forward in table inet filter`. */
function formatChain({ table, chain }: PathStep): string {
  return table.startsWith('nftables ') ? `chain ${chain} in table ${table.slice('nftables '.length)}` : chain
}

/** Returns the position of the rule, from 1 as in iptables. */
function indexOf(step: PathStep, { rulesOf }: PacketFacts): number {
  return rulesOf(step).findIndex(({ text }) => text === step.text) + 1
}

/** Returns the first later rule in its chain that jumps to a kube-proxy chain. */
function jumpBehind(entry: PathStep, facts: PacketFacts): ChainPosition | undefined {
  const table = entry.table.slice('iptables '.length)
  const rules = facts.rulesOf(entry)
  const from = indexOf(entry, facts)
  const expected = entry.chain === 'POSTROUTING' ? 'KUBE-POSTROUTING' : 'KUBE-SERVICES'
  const index = rules.findIndex(
    ({ jumpsTo }, at) => at >= from && facts.isKubernetesChain(`${table}/${jumpsTo}`) && jumpsTo === expected,
  )
  const found = rules[index]
  return found === undefined ? undefined : { chain: found.jumpsTo, index: index + 1 }
}

/** A chain, with the position of the rule in a built-in chain that jumps to it. */
export interface ChainPosition {
  readonly chain: string
  readonly index: number
}
