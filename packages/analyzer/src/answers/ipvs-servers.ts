import type { Answer } from './answer.js'
import { driftOf, effectOf, type NodeAnswerFacts, type OwnedDrift } from './node-facts.js'
import { onNode, serviceText, standingText } from './packet-facts.js'
import { asRootText, restartStep, withCondition } from './remedies.js'
import { isLoopBackSet, lackedLoopBackAnswer } from './to-itself.js'

/** Diagnoses real servers that are stuck at weight 0, and endpoints that cannot reach themselves. */
export function ipvsAnswers(facts: NodeAnswerFacts): readonly Answer[] {
  return [
    ...driftOf(facts, 'changed').flatMap((drift) => weightAnswer(drift, facts)),
    ...driftOf(facts, 'missing').flatMap((drift) => loopBackAnswer(drift, facts)),
  ]
}

function weightAnswer(drift: OwnedDrift, facts: NodeAnswerFacts): readonly Answer[] {
  const { place, servicePort, found = '', wanted = '' } = drift
  const service = facts.servicePorts.get(servicePort)
  const [weight, endpoint] = [/ -w (\d+)/.exec(wanted)?.[1], place.split(' ').at(-1)]
  if (service === undefined || weight === undefined || !effectOf(drift, found)?.takesNoMore) return []
  const object = serviceText(service.id)
  const restart = restartStep(facts.plan)
  return [
    {
      code: 'weightZero',
      happens: onNode(
        facts.plan,
        `endpoint ${endpoint} of ${servicePort} gets no new connections: its weight is 0 instead of ${weight}`,
      ),
      why: `${object} has that endpoint; kube-proxy set its weight to 0 when the endpoint disappeared, and did not restore it`,
      steps: [
        { text: `Restore the weight ${asRootText(facts.plan)}`, command: `ipvsadm ${wanted.replace(/^-a /, '-e ')}` },
        { ...restart, text: withCondition('If ipvsadm is not installed', restart.text) },
      ],
      object,
      rule: found,
      ruleIs: standingText('ipvs'),
    },
  ]
}

/**
 * Matches `KUBE-LOOP-BACK 10.244.1.1,tcp:8080,10.244.1.1`: the set with the entry, the set, and address and port of the
 * entry.
 */
const ENTRY = /^ipset ((\S+) ([^,]+),\w+:(\d+),.*)$/

function loopBackAnswer({ place, servicePort }: OwnedDrift, facts: NodeAnswerFacts): readonly Answer[] {
  const service = facts.servicePorts.get(servicePort)
  const [, entry, set = '', address, port] = ENTRY.exec(place) ?? []
  const endpoint = service?.endpoints.find(({ ip, port: number }) => ip === address && String(number) === port)
  if (service === undefined || endpoint === undefined || entry === undefined || !isLoopBackSet(set)) return []
  const { plan } = facts
  return [lackedLoopBackAnswer({ code: 'missingLoopBack', plan, servicePort: service.id, address: endpoint.ip }, entry)]
}
