import { createCoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import { formatSetId, formatTableId } from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import {
  isKubeProxyTable,
  SERVICE_IPS_MAP,
  SERVICE_NODE_PORTS_MAP,
} from '@kube-rules/compiler/internal/targets/nftables/static-names'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { formatList } from '../../explain/format-list.js'
import { preferKnownPaths } from '../../program/missing-content.js'
import type { TracePath } from '../../trace/trace-paths.js'
import type { Diagnosis } from '../diagnosis.js'
import {
  createDiagnosisRule,
  findEndpointStep,
  formatService,
  type PacketDiagnosisContext,
} from '../packet-diagnosis-context.js'
import { createRestartOrScriptSteps } from '../remedies.js'
import { formatPacketsAtStart, WHOLE_DUMP_TEXT } from './words.js'

/** Diagnoses a packet that a part of the rules sends to an address that the objects do not define as an endpoint. */
export function diagnoseOtherEndpoint(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { decision, plan } = facts.expected ?? {}
  const endpoint = facts.reason?.otherEndpoint?.endpoint
  const path = facts.paths.find((each) => endpointOf(each) === endpoint)
  const step = path && findEndpointStep(path)
  if (decision?.kind !== 'endpoints' || plan === undefined || endpoint === undefined || step === undefined)
    return undefined
  const { servicePort, candidates } = decision
  const object = formatService(servicePort)
  return {
    code: 'outdatedRule',
    summary: `${formatPacketsAtStart(facts)} may reach ${endpoint} instead of an endpoint: a part of the rules of ${servicePort.text} is out of date on the node`,
    cause: `this node should send packets for ${object} only to ${formatList(candidates.map((each) => each.endpoint.text))}; kube-proxy did not delete this part`,
    steps: createRestartOrScriptSteps(plan),
    object,
    ...createDiagnosisRule(step),
  }
}

/** Diagnoses a packet that a part of the rules sends to some endpoints of the objects, but not to all of them. */
export function diagnoseMissingEndpoint(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { decision } = facts.expected ?? {}
  const known = preferKnownPaths(facts.paths)
  const reached = new Set(known.flatMap((path) => (path.outcome.kind === 'unmatched' ? [] : [endpointOf(path)])))
  const path = known.find(({ outcome }) => outcome.kind === 'delivered')
  const step = path && findEndpointStep(path)
  if (decision?.kind !== 'endpoints' || step === undefined || reached.has(undefined)) return undefined
  const texts = decision.candidates.map(({ endpoint }) => endpoint.text)
  const missing = texts.filter((text) => !reached.has(text))
  if (missing.length === 0) return undefined
  return {
    code: 'incompleteDump',
    summary: `${formatPacketsAtStart(facts)} may reach only ${formatList(texts.filter((text) => reached.has(text)))}: the dump has no rule that sends them to ${formatList(missing)}`,
    cause: 'the rule may be in the missing part of the dump',
    steps: [{ text: WHOLE_DUMP_TEXT }],
    object: formatService(decision.servicePort),
    ...createDiagnosisRule(step, 'for one of its endpoints'),
  }
}

/**
 * Diagnoses a packet to a frontend without an element in the map of nftables mode. The map is complete, so the missing
 * part of the dump does not send the packet to its Service.
 */
export function diagnoseMissingElement(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { packet, state } = facts
  const { decision, plan } = facts.expected ?? {}
  const table = state.nftables?.tables.find(isKubeProxyTable)
  if (decision?.kind !== 'endpoints' || plan === undefined || table === undefined) return undefined
  const { servicePort, frontend } = decision
  const isNodePort = frontend.kind === 'nodePort'
  const map = isNodePort ? SERVICE_NODE_PORTS_MAP : SERVICE_IPS_MAP
  const id = formatSetId(table, map)
  const port = `${packet.protocol.toLowerCase()} . ${packet.destinationPort}`
  const key = isNodePort ? port : `${packet.destination} . ${port}`
  const isWhole = createCoverageQueries(state.coverage).isComplete('nftables', formatTableId(table), id)
  const hasKey = table.sets.some(({ name, elements }) => name === map && elements.some((each) => each.key === key))
  if (!isWhole || hasKey) return undefined
  const object = formatService(servicePort)
  return {
    code: 'missingRule',
    summary: `${formatPacketsAtStart(facts)} may not be handled by kube-proxy: map ${map} has no element for ${key}`,
    cause: `this element sends packets to the rules of ${object}; kube-proxy did not write it, or another program deleted it`,
    steps: createRestartOrScriptSteps(plan),
    object,
    rule: id,
    ruleStatus: 'without this element',
  }
}

function endpointOf({ outcome }: TracePath): string | undefined {
  return outcome.kind === 'delivered' ? joinHostPort(outcome.address, outcome.port) : undefined
}
