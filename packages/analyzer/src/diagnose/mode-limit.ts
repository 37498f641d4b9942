import { formatList } from '../explain/format-list.js'
import { MODE_DECISIONS } from '../targets/mode-decisions.js'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import {
  createDiagnosisRule,
  findEndpointStep,
  formatOutcomes,
  formatPackets,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'

/** Diagnoses a deviation of kube-proxy that follows from a limitation of its mode. */
export function diagnoseModeLimitation({
  packet,
  paths,
  reason,
  expected,
}: PacketDiagnosisContext): Diagnosis | undefined {
  if (expected === undefined || reason?.divergence !== 'modeLimitation' || reason.expectedOutcome === undefined)
    return undefined
  if (!('frontend' in expected.decision)) return undefined
  const { servicePort } = expected.decision
  const step = paths[0] && findEndpointStep(paths[0])
  if (step === undefined) return undefined
  const modes = expected.betterModes()
  const { limitations } = MODE_DECISIONS[expected.mode](expected.plan, packet)
  const codes =
    limitations.length === 0
      ? ''
      : ` (${limitations.length === 1 ? 'limitation' : 'limitations'} ${formatList(limitations)})`
  return {
    code: 'limitedByMode',
    summary: prefixWithNode(
      expected.plan,
      `${formatPackets(packet)} ${formatOutcomes(paths)}; according to the Service, the outcome should be: ${reason.expectedOutcome}`,
    ),
    cause: `${reason.reason}, but kube-proxy ${expected.version} in ${expected.mode} mode does not implement this for ${formatService(servicePort)}${codes}`,
    steps: modeSteps(modes),
    object: formatService(servicePort),
    ...createDiagnosisRule(step),
  }
}

function modeSteps(modes: readonly string[]): readonly DiagnosisStep[] {
  if (modes.length === 0)
    return [
      { text: 'Do not rely on the definition of the Service for these packets: no mode of kube-proxy implements it' },
    ]
  return [
    {
      text: 'Do not rely on the definition of the Service for these packets in this mode; the node behaves as kube-proxy implements this mode',
    },
    {
      text: `If you need it, plan to change all nodes: set the mode key in config.conf to ${modes.join(' or ')}; with kubectl, in kubeadm clusters`,
      command: 'kubectl -n kube-system edit configmap kube-proxy',
      impact: 'none until kube-proxy restarts',
    },
    {
      text: 'Then restart kube-proxy on all nodes with kubectl',
      command: 'kubectl -n kube-system rollout restart daemonset kube-proxy',
      impact: 'the rules of the old mode stay on each node until you remove them; kube-rules verify finds them',
    },
  ]
}
