import { checkPacket } from '@kube-rules/compiler/internal/arguments/check-packet'
import { checkResult } from '@kube-rules/compiler/internal/arguments/check-result'
import type {
  CompileInput,
  CompileResult,
  FamilyResult,
} from '@kube-rules/compiler/internal/compilation/compile-result'
import { createLazyGetter } from '@kube-rules/compiler/internal/internal/memo'
import { isObject } from '@kube-rules/compiler/internal/model/reading/read-field'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import { decide } from '@kube-rules/compiler/internal/plan/decide'
import type { IpFamily, Packet, Service } from '@kube-rules/types'
import { familyOf } from '@kube-rules/types/internal/ip'
import { endpointsOfDecision, explainFrontendDecision } from '../explain/reasons.js'
import { createPlanFilter } from '../plan/create-plan-filter.js'
import { createEndpointGapFinder, describeEndpointGap, indexServices, plain } from './endpoint-gaps.js'

/**
 * Returns a function that explains why a packet is rejected or dropped, as one sentence without a full stop: `the
 * Service has no endpoints; no pod that matches its selector app=web is listed in an EndpointSlice`. The function returns
 * undefined if the objects do not define that the packet is rejected or dropped. `input` is the input of `result`.
 */
export function createRejectionExplainer(
  input: CompileInput,
  result: CompileResult,
): (packet: Packet) => string | undefined {
  checkResult('result', result)
  const describeGap = createGapDescriber(input)
  const explainers = new Map(result.families.map((each) => [each.family, explainerOfFamily(each, describeGap)]))
  return (packet) => {
    checkPacket(packet)
    return explainers.get(familyOf(packet.destination))?.(packet)
  }
}

/** Describes the reasons why a service port has no endpoints of a family. */
type GapDescriber = (service: ServicePortId, family: IpFamily) => readonly string[]

function createGapDescriber(input: CompileInput): GapDescriber {
  const findGap = createEndpointGapFinder(input)
  const services = createLazyGetter(() => indexServices(input))
  return (id, family) => {
    const gap = findGap(id, family)
    const name = gap.kind === 'noPort' ? findTargetPortName(services().get(`${id.namespace}/${id.name}`), id) : ''
    return [...describeEndpointGap(gap, id), ...(name === '' ? [] : [`its targetPort is ${name}`])]
  }
}

/** Returns the name in `targetPort` of a port of a Service. Empty if `targetPort` is absent or a number. */
function findTargetPortName(service: Service | undefined, { portName, protocol }: ServicePortId): string {
  const { ports } = isObject(service?.spec) ? service.spec : {}
  const port = (Array.isArray(ports) ? ports.filter(isObject) : []).find(
    (each) => (each.name ?? '') === portName && (each.protocol ?? 'TCP') === protocol,
  )
  return typeof port?.targetPort === 'string' ? plain(port.targetPort) : ''
}

function explainerOfFamily({ plan, family }: FamilyResult, describeGap: GapDescriber) {
  const filterPlan = createLazyGetter(() => createPlanFilter(plan))
  return (packet: Packet): string | undefined => {
    const part = filterPlan()(packet)
    const decision = decide(part, packet)
    if (decision.kind !== 'reject' && decision.kind !== 'drop') return undefined
    const reason = explainFrontendDecision(decision, part)
    const gap = endpointsOfDecision(decision, part).length > 0 ? [] : describeGap(decision.servicePort, family)
    return [reason, ...gap].join('; ')
  }
}
