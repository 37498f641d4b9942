import { IP_FAMILIES, type Packet } from '@kube-rules/types'
import { decide } from '../../../src/plan/decide.js'
import type { Plan } from '../../../src/plan/plan.js'
import { ADDRESSES } from './topology.js'

/** What the library says becomes of a packet, as `expected` of a case. */
export function predict(plan: Plan, packet: Packet): string {
  const decision = decide(plan, packet)
  if (decision.outcome === 'healthCheck') return 'node'
  if (decision.outcome !== 'endpoints') return decision.outcome
  return decision.candidates
    .map(({ endpoint, masquerade }) => `${placeOf(endpoint.ip)}${masquerade ? '*' : ''}`)
    .sort()
    .join(' ')
}

function placeOf(ip: string): string {
  const place = Object.entries(ADDRESSES).find(([, known]) => IP_FAMILIES.some((family) => known[family] === ip))
  if (place === undefined) throw new Error(`${ip} is nowhere`)
  return place[0]
}
