import type { Answer } from './answer.js'
import { driftOf, effectOf, type NodeAnswerFacts, type OwnedDrift } from './node-facts.js'
import { serviceText } from './packet-facts.js'

/** Real servers that were left with weight 0, and endpoints that cannot reach themselves. */
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
  return [
    {
      code: 'weightZero',
      happens: `Endpoint ${endpoint} of ${servicePort} gets no new connections: its weight is 0 and should be ${weight}`,
      why: `${object} has that endpoint, and the real server was left as one that goes (rule in ipvs: ${found})`,
      todo: `as root on the node: ipvsadm ${wanted.replace(/^-a /, '-e ')}, or run there as root what --script prints`,
      object,
      rule: found,
    },
  ]
}

/** `KUBE-LOOP-BACK 10.244.1.1,tcp:8080,10.244.1.1`: the set and the entry, and of it address and port. */
const LOOP_BACK = /^ipset (KUBE-(?:6-)?LOOP-BACK) (([^,]+),\w+:(\d+),.*)$/

function loopBackAnswer({ place, servicePort }: OwnedDrift, facts: NodeAnswerFacts): readonly Answer[] {
  const service = facts.servicePorts.get(servicePort)
  const [, set, entry, address, port] = LOOP_BACK.exec(place) ?? []
  const endpoint = service?.endpoints.find(({ ip, port: number }) => ip === address && String(number) === port)
  if (service === undefined || endpoint === undefined) return []
  const object = serviceText(service.id)
  return [
    {
      code: 'missingLoopBack',
      happens: `Endpoint ${endpoint.text} of ${servicePort} cannot reach itself by its Service`,
      why: `packets of ${object} that come back to the pod that sent them are masqueraded by a set that lacks it (${place})`,
      todo: `as root on the node: ipset add ${set} ${entry}, or run there as root what --script prints`,
      object,
      rule: place,
    },
  ]
}
