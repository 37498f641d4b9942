import { joinHostPort } from '@kube-rules/types'
import type { PacketClass } from './classes.js'

/** Describes the packets of several classes: destination, arrival and source. */
export function conditionOf(classes: readonly PacketClass[]): string {
  const words = [classes.map(destinationText), classes.map(arrivalText), classes.map(sourceText)]
  return words.map(few).join(', ')
}

/** Maximum number of listed items; the rest are counted. */
const MOST = 3

function few(texts: readonly string[]): string {
  const all = [...new Set(texts)]
  if (all.length <= MOST) return all.join(' or ')
  return `${all.slice(0, MOST).join(' or ')} or ${all.length - MOST} more`
}

function destinationText({ packet, isOtherPort, isOtherAddress }: PacketClass): string {
  const { protocol, destination, destinationPort } = packet
  const other = isOtherAddress ? `${protocol} to addresses like ${destination}` : protocol
  if (isOtherPort) return isOtherAddress ? other : `${protocol} any other port of ${destination}`
  return isOtherAddress
    ? `${other}, port ${destinationPort}`
    : `${protocol} ${joinHostPort(destination, destinationPort)}`
}

function arrivalText({ packet: { origin, inInterface } }: PacketClass): string {
  if (origin === 'node') return 'locally generated'
  const by = inInterface === undefined || inInterface === 'other0' ? '' : ` by ${inInterface}`
  return origin === 'pod' ? `from a pod${by}, maybe over a bridge` : `from the network${by}`
}

function sourceText({ sourceIn, packet }: PacketClass): string {
  if (sourceIn === undefined) return 'any other source'
  return sourceIn.includes('/') || sourceIn.includes('-') ? `any source in ${sourceIn}` : `source ${packet.source}`
}
