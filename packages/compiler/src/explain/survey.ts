import { joinHostPort, type Origin, type Packet, type Protocol } from '@kube-rules/types'
import type { Way } from '../trace/trace.js'
import { outcomeText } from './explain.js'

/** An address and port at which packets are looked at. */
export interface SurveyedFrontend {
  /** Whose it is: `default/web:http/TCP`; empty where that is not known. */
  readonly owner: string
  readonly protocol: Protocol
  readonly address: string
  readonly port: number
}

/** What becomes of packets to one frontend, by where they come from; absent for origins that were not tried. */
export interface SurveyRow {
  readonly frontend: SurveyedFrontend
  readonly outcomes: Readonly<Partial<Record<Origin, string>>>
}

export const ORIGINS: readonly Origin[] = ['pod', 'node', 'outside']

/** One row for each frontend: the ways of a packet of each source, in a few words. */
export function surveyFrontends(
  frontends: readonly SurveyedFrontend[],
  sources: readonly Pick<Packet, 'origin' | 'source' | 'inInterface'>[],
  trace: (packet: Packet) => readonly Way[],
): readonly SurveyRow[] {
  return frontends.map((frontend) => {
    const { protocol, address, port } = frontend
    const outcomes = sources.map((source) => {
      const ways = trace({ ...source, protocol, destination: address, destinationPort: port })
      return [source.origin, summaryOf(ways)] as const
    })
    return { frontend, outcomes: Object.fromEntries(outcomes) }
  })
}

/** `3 endpoints, masqueraded`, or what becomes of the packet; `depends` where it is more than one thing. */
function summaryOf(ways: readonly Way[]): string {
  const endpoints = ways.filter(({ outcome }) => outcome.kind === 'delivered')
  const others = [...new Set(ways.filter((way) => !endpoints.includes(way)).map(({ outcome }) => outcomeText(outcome)))]
  const parts = endpoints.length === 0 ? others : [endpointsText(endpoints), ...others]
  return parts.length === 1 ? (parts[0] ?? '') : `depends: ${parts.join(' or ')}`
}

function endpointsText(ways: readonly Way[]): string {
  const places = new Set(
    ways.map(({ outcome }) => outcome.kind === 'delivered' && joinHostPort(outcome.address, outcome.port)),
  )
  const masqueraded = ways.filter(({ outcome }) => outcome.kind === 'delivered' && outcome.masqueraded)
  const count = places.size === 1 ? '1 endpoint' : `${places.size} endpoints`
  if (masqueraded.length === 0) return count
  return masqueraded.length === ways.length ? `${count}, masqueraded` : `${count}, some masqueraded`
}
