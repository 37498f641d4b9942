import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import { formatList } from '../explain/format-list.js'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import {
  createDiagnosisRule,
  type ExpectedHandling,
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
  return {
    code: 'limitedByMode',
    summary: prefixWithNode(
      expected.plan,
      `${formatPackets(packet)} ${formatOutcomes(paths)}; according to the Service, the outcome should be: ${reason.expectedOutcome}`,
    ),
    cause: describeLimitation(expected, formatService(servicePort)),
    steps: modeSteps(modes),
    object: formatService(servicePort),
    ...createDiagnosisRule(step),
  }
}

/** Describes the limitations that explain the outcome. The reason of the plan does not explain it, so it is not used. */
function describeLimitation({ version, mode, limitations }: ExpectedHandling, object: string): string {
  const found = limitations()
  const proxy = `kube-proxy ${version} in ${mode} mode`
  if (found.length === 0) return `${proxy} does not implement this for ${object}`
  const [noun, codes] = [found.length === 1 ? 'limitation' : 'limitations', formatList(found.map(({ code }) => code))]
  return `${proxy} does not implement this for ${object} (${noun} ${codes}): ${found.map(({ reason }) => reason).join('; ')}`
}

function modeSteps(modes: readonly ProxyMode[]): readonly DiagnosisStep[] {
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
      change: { kind: 'changeProxy', mode: modes[0] },
      impact: 'none until kube-proxy restarts',
    },
    {
      text: 'Then restart kube-proxy on all nodes with kubectl',
      command: 'kubectl -n kube-system rollout restart daemonset kube-proxy',
      impact: 'the rules of the old mode stay on each node until you remove them; kube-rules verify finds them',
    },
  ]
}
