import {
  CLUSTER_IPS_CHECK_CHAIN,
  NODE_PORT_ENDPOINTS_CHECK_CHAIN,
  REJECT_CHAIN,
  SERVICE_ENDPOINTS_CHECK_CHAIN,
} from '@kube-rules/compiler/internal/targets/nftables/static-names'
import { formatList } from '../../explain/format-list.js'
import { dependsOnMissingRules, preferKnownPaths } from '../../program/missing-content.js'
import type { PathStep } from '../../program/steps.js'
import { isAssumedRule } from '../../targets/shared/assumed-rule.js'
import type { TracePath } from '../../trace/trace-paths.js'
import { formatFate } from '../certainty.js'
import type { Diagnosis, DiagnosisStep } from '../diagnosis.js'
import type { DiagnosedService } from '../foreign-rule.js'
import {
  createDiagnosisRule,
  formatPackets,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
} from '../packet-diagnosis-context.js'
import { createRestartOrScriptSteps, formatServiceCommand, prependCondition } from '../remedies.js'
import { findServiceOfRules } from '../service-of-packet.js'
import { formatCheckedPorts, formatPacketsAtStart, RESTART_TEXT } from './words.js'

/** Diagnoses a packet that a rule of kube-proxy rejects or drops, from the rules alone. */
export function diagnoseBlockingRule(path: TracePath, facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { kind } = path.outcome
  const step = findDecidingStep(path)
  if (step === undefined || (kind !== 'rejected' && kind !== 'dropped')) return undefined
  const block = { step, path, facts }
  if (isUnusedPort(step)) return unusedPortDiagnosis(block)
  const service = findServiceOfRules(facts)
  if (service === undefined || service.name === '') return undefined
  if (isWithoutEndpoints(step, kind)) return missingEndpointsDiagnosis(block, service)
  if (isWithoutLocalEndpoints(step, kind)) return missingLocalEndpointsDiagnosis(block, service)
  return isSourceCheck(path) ? sourceRangeDiagnosis(block, service) : undefined
}

/** Diagnoses a packet that a rule for a Service without endpoints rejects although the objects have some. */
export function diagnoseOutdatedRejection(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { decision, plan } = facts.expected ?? {}
  const path = preferKnownPaths(facts.paths).find(({ outcome }) => outcome.kind === 'rejected')
  const step = path && findDecidingStep(path)
  if (path === undefined || step === undefined) return undefined
  if (decision?.kind !== 'endpoints' || plan === undefined) return undefined
  if (!isWithoutEndpoints(step, 'rejected')) return undefined
  const { servicePort } = decision
  const object = formatService(servicePort)
  const endpoints = formatList(decision.candidates.map(({ endpoint }) => endpoint.text))
  return {
    code: 'outdatedRule',
    summary: prefixWithNode(
      plan,
      `${formatPackets(facts.packet)} ${formatFate(path, facts)}: kube-proxy on the node knows no usable endpoint of ${servicePort.text}, although the objects have ${endpoints}`,
    ),
    cause: `kube-proxy deletes this rule when ${object} has a ready endpoint, so the rules are older than the objects: kube-proxy there seems to receive no updates from the API server`,
    steps: createRestartOrScriptSteps(plan),
    object,
    ...createDiagnosisRule(step),
  }
}

/**
 * Returns the rule that decides to reject or drop a packet. Another rule may carry this out: that for marked packets, or
 * that of the chain for rejected packets.
 */
function findDecidingStep({ steps }: TracePath): PathStep | undefined {
  const marking = steps.find(({ jumpsTo }) => jumpsTo === 'KUBE-MARK-DROP')
  return marking ?? steps.filter(({ chain }) => chain !== REJECT_CHAIN).at(-1)
}

/** A rule of kube-proxy that ends a path. */
interface Block {
  readonly step: PathStep
  readonly path: TracePath
  readonly facts: PacketDiagnosisContext
}

const ENDPOINT_CHECKS: ReadonlySet<string> = new Set([SERVICE_ENDPOINTS_CHECK_CHAIN, NODE_PORT_ENDPOINTS_CHECK_CHAIN])

function isWithoutEndpoints({ table, chain, comment }: PathStep, kind: 'rejected' | 'dropped'): boolean {
  if (table.startsWith('nftables ')) return kind === 'rejected' && ENDPOINT_CHECKS.has(chain)
  return chain.startsWith('KUBE-') && comment.endsWith(' has no endpoints')
}

function isWithoutLocalEndpoints({ table, chain, comment }: PathStep, kind: 'rejected' | 'dropped'): boolean {
  if (table.startsWith('nftables ')) return kind === 'dropped' && ENDPOINT_CHECKS.has(chain)
  return chain.startsWith('KUBE-') && comment.endsWith(' has no local endpoints')
}

/** Reports whether a rule rejects packets to ports of a cluster IP that no Service has. */
function isUnusedPort({ table, chain }: PathStep): boolean {
  return chain === CLUSTER_IPS_CHECK_CHAIN || (table === 'iptables filter' && chain === 'KUBE-IPVS-FILTER')
}

/** Reports whether the packet passes a chain that checks source ranges, and is dropped. */
function isSourceCheck({ steps, outcome }: TracePath): boolean {
  return (
    outcome.kind === 'dropped' &&
    steps.some(({ chain }) => /^(?:KUBE-FW-|KUBE-PROXY-FIREWALL$|firewall-[A-Z2-7]{8}-)/.test(chain))
  )
}

function missingEndpointsDiagnosis(block: Block, service: DiagnosedService): Diagnosis {
  const { object, text } = service
  return {
    code: 'rejectedNoEndpoints',
    summary: `${formatPacketsAtStart(block.facts)} ${formatFate(block.path, block.facts)}: kube-proxy on this node knows no usable endpoint of ${text}`,
    cause: `kube-proxy writes such a rule while ${object} has no ready endpoint, and deletes it when there is one`,
    steps: [
      listEndpointsStep(service, 'List the endpoints of the Service with kubectl'),
      { text: `If one of them is ready, the rules are out of date: ${RESTART_TEXT}` },
      {
        text: 'If there are none, check with kubectl that the selector of the Service matches the labels of its pods, and that they are ready',
        command: formatServiceCommand(service, (namespace, name) => `kubectl -n ${namespace} describe svc ${name}`),
      },
    ],
    object,
    ...formatEndpointCheck(block),
  }
}

function missingLocalEndpointsDiagnosis(block: Block, service: DiagnosedService): Diagnosis {
  const { object, text } = service
  return {
    code: 'droppedNoLocalEndpoints',
    summary: `${formatPacketsAtStart(block.facts)} ${formatFate(block.path, block.facts)}: kube-proxy knows no usable endpoint of ${text} on this node`,
    cause: `the traffic policy of ${object} is Local, so a node uses only its own endpoints; without any, this is normal`,
    steps: [
      listEndpointsStep(
        service,
        'Send the packets to a node with an endpoint; kubectl lists the endpoints with their nodes',
      ),
      {
        text: `If one of them is on this node, check that kube-proxy uses the name of the Node (hostnameOverride, --hostname-override); if it does, ${RESTART_TEXT}`,
      },
      {
        text: 'Or, if every node has to accept the packets, set the traffic policy of the Service to Cluster with kubectl',
        command: formatServiceCommand(service, (namespace, name) => `kubectl -n ${namespace} edit svc ${name}`),
        impact: 'for all clients: pods no longer see the client address, and packets may take one more hop',
      },
    ],
    object,
    ...formatEndpointCheck(block),
  }
}

/** Returns the rule that checks for endpoints. If the dump has only the map that it looks up, returns the element. */
function formatEndpointCheck({ step, facts }: Block): Pick<Diagnosis, 'rule' | 'ruleStatus'> {
  const rule = createDiagnosisRule(step)
  if (!isAssumedRule(step.text)) return rule
  const { destination, destinationPort, protocol } = facts.packet
  return { ...rule, rule: `element for ${destination} . ${protocol.toLowerCase()} . ${destinationPort}` }
}

function listEndpointsStep(service: DiagnosedService, text: string): DiagnosisStep {
  return {
    text,
    command: formatServiceCommand(
      service,
      (namespace, name) => `kubectl -n ${namespace} get endpointslices -l kubernetes.io/service-name=${name} -o yaml`,
    ),
  }
}

function sourceRangeDiagnosis(block: Block, service: DiagnosedService): Diagnosis {
  const { object, text } = service
  const { source } = block.facts.packet
  return {
    code: 'excludedSource',
    summary: `${formatPacketsAtStart(block.facts)} ${formatFate(block.path, block.facts)}: no source range of ${text} contains ${source}`,
    cause: `loadBalancerSourceRanges of ${object} permit other sources only; for clients that they exclude, this is normal`,
    steps: [
      {
        text: prependCondition(
          `If ${source} should have access`,
          `Add it, or its network, to loadBalancerSourceRanges of ${object}; kubectl shows them`,
        ),
        command: formatServiceCommand(
          service,
          (namespace, name) => `kubectl -n ${namespace} get svc ${name} -o jsonpath='{.spec.loadBalancerSourceRanges}'`,
        ),
      },
    ],
    object,
    ...createDiagnosisRule(block.step),
  }
}

/** In ipvs mode, sets have the ports, and external addresses, too. A part of a dump shows that it has no entry. */
function unusedPortDiagnosis({ facts, path, step }: Block): Diagnosis | undefined {
  const isOfIpvs = step.table === 'iptables filter'
  if (!isOfIpvs && dependsOnMissingRules([path])) return undefined
  const { destination, destinationPort, protocol } = facts.packet
  const port = `${destinationPort}/${protocol}`
  const rules = isOfIpvs ? 'no set in the dump has port' : 'the rules of the node have no port'
  return {
    code: 'missingRule',
    summary: `${formatPacketsAtStart(facts)} ${formatFate(path, facts)}: ${rules} ${port} at ${destination}`,
    cause: `${destination} is an address of a Service, and kube-proxy rejects packets to ports that it does not know there${formatCheckedPorts(facts, isOfIpvs ? 'ipvs has' : 'the rules have')}`,
    steps: [
      {
        text: `Check with kubectl that the Service with address ${destination} has port ${port}`,
        command: `kubectl get services -A | grep -wF ${destination}`,
      },
      { text: `If it has, a part of its rules is missing: ${RESTART_TEXT}` },
    ],
    object: `the Service with address ${destination}`,
    ...createDiagnosisRule(step),
  }
}
