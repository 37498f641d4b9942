import type { PathStep } from '../program/steps.js'
import { isAssumedRule } from '../targets/shared/assumed-rule.js'
import type { TracePath } from '../trace/trace-paths.js'
import { isCertain } from './certainty.js'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import {
  type DiagnosedService,
  findLaterJump,
  findRulePosition,
  formatOwner,
  formatRuleName,
  isForeignRule,
} from './foreign-rule.js'
import {
  createDiagnosisRule,
  formatPackets,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'
import { createServicePatch, formatServiceCommand, prependCondition } from './remedies.js'

/**
 * Diagnoses a packet that kube-proxy would reject or drop, but that a rule of another program accepts in the same
 * built-in chain before the jump to the kube-proxy rules.
 */
export function diagnoseEarlierAccept(
  path: TracePath,
  service: DiagnosedService,
  facts: PacketDiagnosisContext,
): Diagnosis | undefined {
  const { object } = service
  const expected = facts.expected?.decision.kind
  if (path.outcome.kind !== 'unmatched' || (expected !== 'reject' && expected !== 'drop')) return undefined
  const inFilter = path.steps.filter(({ table, target }) => table === 'iptables filter' && target !== 'RETURN')
  const step = inFilter.at(-1)
  if (step?.target !== 'ACCEPT' || !isForeignRule(step, facts)) return undefined
  const entry = inFilter.filter(({ hook, chain }) => hook === step.hook && chain === hook).at(-1)
  const unasked = entry && findLaterJump(entry, facts)
  if (entry === undefined || unasked === undefined) return undefined
  const may = !isCertain(path, facts)
  const owner = formatOwner(step, facts)
  return {
    code: 'foreignOrder',
    summary: prefixWithNode(
      facts.expected?.plan,
      expected === 'reject'
        ? `${formatPackets(facts.packet)} ${may ? 'may time out' : 'time out'}: ${object} has no usable endpoint, and ${owner} keeps kube-proxy from rejecting them at once`
        : `${formatPackets(facts.packet)} ${may ? 'may get through' : 'get through'} instead of being dropped: ${owner} accepts them first`,
    ),
    cause: `kube-proxy would ${expected === 'reject' ? 'reject' : 'drop'} them, but its rule ${unasked.index} of ${entry.chain} (${unasked.chain}) comes after rule ${findRulePosition(entry, facts)}${entry.jumpsTo === '' ? '' : ` (${entry.jumpsTo})`}, which accepts them`,
    steps:
      expected === 'reject'
        ? [
            endpointStep(service),
            afterStep(
              entry,
              facts,
              'If clients need an immediate error while the Service has no endpoints (not urgent)',
            ),
          ]
        : [afterStep(entry, facts)],
    object,
    ...createDiagnosisRule(step),
  }
}

/** A step that adds an endpoint, so that no packet is rejected. */
function endpointStep(service: DiagnosedService): DiagnosisStep {
  return {
    text: `Find out why no pod of ${service.object} is ready, and scale or repair its workload; kubectl shows the selector of its pods`,
    command: formatServiceCommand(service, (namespace, name) => `kubectl -n ${namespace} describe svc ${name}`),
  }
}

/** A step that moves the jump of the other program after the jumps of kube-proxy. */
function afterStep(entry: PathStep, facts: PacketDiagnosisContext, condition = ''): DiagnosisStep {
  const { insertAfter } = facts.neighborOf(entry)?.neighbor ?? {}
  const after = insertAfter ?? {
    text: `Configure ${formatSubject(entry, facts)} to insert its rule after kube-proxy's`,
  }
  return { ...after, text: prependCondition(condition, after.text) }
}

/** Formats the program that has to be configured: `Docker`, `that program`. */
function formatSubject(step: PathStep, { neighborOf }: PacketDiagnosisContext): string {
  return neighborOf(step)?.neighbor.name ?? 'that program'
}

/**
 * Diagnoses a source translation by kube-proxy that prevents a source translation by another program, or vice versa.
 * An assumed jump has no position among the rules of POSTROUTING, so nothing follows from it.
 */
export function diagnoseEarlierTranslation(
  path: TracePath,
  service: DiagnosedService,
  facts: PacketDiagnosisContext,
): Diagnosis | undefined {
  const { text, object } = service
  const change = path.steps.find(({ rewrites }) => rewrites === 'source')
  // A known program, such as a network plugin, masquerades packets that leave the network of pods.
  if (change?.table.startsWith('nftables ') && isForeignRule(change, facts) && !facts.neighborOf(change)) {
    const lost = { step: change, first: formatRuleName(change, facts) }
    return keepsSource(facts) ? describeLostSource(path, lost, service, facts) : undefined
  }
  const behindNat = path.steps.filter(({ hook, table }) => hook === 'POSTROUTING' && table === 'iptables nat')
  const step = behindNat.at(-1)
  const entry = behindNat.filter(({ chain }) => chain === 'POSTROUTING').at(-1)
  if (step === undefined || entry === undefined || !/^(?:MASQUERADE|SNAT)\b/.test(step.target)) return undefined
  if (isAssumedRule(entry.text)) return undefined
  const [other] = isForeignRule(step, facts) ? [findLaterJump(entry, facts)] : [facts.nextSourceChange(entry)]
  if (other === undefined) return undefined
  const first = `rule ${findRulePosition(entry, facts)} of POSTROUTING${entry.jumpsTo === '' ? '' : ` (${entry.jumpsTo})`}`
  if (isForeignRule(step, facts) && keepsSource(facts)) return describeLostSource(path, { step, first }, service, facts)
  const [winner, loser] = isForeignRule(step, facts)
    ? [formatOwner(step, facts), 'kube-proxy']
    : ['kube-proxy', other.chain]
  return {
    code: 'sourceTakenFirst',
    summary: prefixWithNode(
      facts.expected?.plan,
      `${formatPackets(facts.packet)} ${path.assumptions.length > 0 ? 'may get' : 'get'} their source address from ${winner}; ${loser}, which would set another one, does not apply`,
    ),
    cause: `${first} changes the source of packets of ${object}, and the first change ends the chain; rule ${other.index} (${other.chain}) comes too late`,
    steps: isForeignRule(step, facts)
      ? [
          {
            text: `Configure ${formatSubject(step, facts)} to insert its rule after kube-proxy's, or to exclude packets of ${text}`,
          },
        ]
      : keepSourceSteps(service, facts),
    object,
    ...createDiagnosisRule(step),
  }
}

/** Reports whether kube-proxy does not change the source of the packet, whichever endpoint it reaches. */
function keepsSource({ expected }: PacketDiagnosisContext): boolean {
  const { decision } = expected ?? {}
  return decision?.kind === 'endpoints' && decision.candidates.every(({ masquerade }) => !masquerade)
}

/** The rule that changes the source of a packet, and its position in words. */
interface SourceChange {
  readonly step: PathStep
  readonly first: string
}

/** Describes a packet that keeps its source in the rules of kube-proxy, but not in those of another program. */
function describeLostSource(
  path: TracePath,
  { step, first }: SourceChange,
  { text, object }: DiagnosedService,
  facts: PacketDiagnosisContext,
): Diagnosis {
  return {
    code: 'sourceTakenFirst',
    summary: prefixWithNode(
      facts.expected?.plan,
      `${formatPackets(facts.packet)} ${path.assumptions.length > 0 ? 'may get' : 'get'} another source address from ${formatOwner(step, facts)}; kube-proxy does not change it`,
    ),
    cause: `${first} changes the source of packets of ${object}, so the endpoints do not see the address of the client`,
    steps: [{ text: `Configure ${formatSubject(step, facts)} to exclude packets of ${text}` }],
    object,
    ...createDiagnosisRule(step),
  }
}

/**
 * Returns steps that preserve the source address. If the packet is to an external frontend, its traffic policy can be
 * Local. In any other case, the network plugin must insert its rule first.
 */
function keepSourceSteps(service: DiagnosedService, { expected }: PacketDiagnosisContext): readonly DiagnosisStep[] {
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
      change: createServicePatch(service, { externalTrafficPolicy: 'Local' }),
      impact: 'for all clients: pods see their addresses, and only nodes with a pod of the Service accept packets',
    },
    { text: prependCondition('If every node has to accept packets', insertFirst) },
  ]
}
