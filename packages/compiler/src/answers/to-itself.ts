import type { Plan } from '../plan/plan.js'
import type { ServicePortId } from '../services/service-port.js'
import type { Answer, AnswerCode } from './answer.js'
import { onNode, serviceText } from './packet-facts.js'
import { asRootText, restartText } from './remedies.js'

/** A pod that its Service sends to itself, so that it sees its own address as the source. */
export interface ToItself {
  readonly code: AnswerCode
  readonly plan: Plan
  readonly servicePort: ServicePortId
  /** Of the pod. */
  readonly address: string
}

/** What happens, said alike of a packet and of a node. */
export function toItselfText({
  code,
  plan,
  servicePort,
  address,
}: ToItself): Pick<Answer, 'code' | 'happens' | 'object'> {
  const object = serviceText(servicePort)
  return { code, happens: onNode(plan, `pod ${address} hangs whenever ${object} sends it to itself`), object }
}

/** Whether mode ipvs knows by this set which packets a pod sends to itself. */
export function isLoopBackSet(name: string): boolean {
  return /^KUBE-(?:6-)?LOOP-BACK$/.test(name)
}

/** That the entry of a set is not there (`KUBE-LOOP-BACK 10.244.1.1,tcp:8080,10.244.1.1`). */
export function lackedLoopBackAnswer(about: ToItself, entry: string): Answer {
  const [set = ''] = entry.split(' ')
  return {
    ...toItselfText(about),
    why: `the node has to change the sender's address in this case, and the list of pods for which it does (ipset ${set}) lacks this one`,
    todo: `ipset add ${entry} (${asRootText(about.plan)}; disturbs nobody); only if it is missing again later: ${restartText(about.plan)}`,
    rule: `ipset ${entry}`,
    ruleIs: 'missing',
  }
}
