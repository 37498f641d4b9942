import {
  checkChoice,
  checkList,
  checkObject,
  checkOptionalFields,
  checkStrings,
} from '@kube-rules/compiler/internal/arguments/check-argument'
import { createArgumentError } from '@kube-rules/compiler/internal/model/reading/argument-error'
import { describeValue } from '@kube-rules/compiler/internal/model/reading/diagnostic-collector'
import { type IpFamily, parseIp } from '@kube-rules/types'

const PACKET = 'a packet with origin, protocol, source, destination and destinationPort'

/** Checks a packet, whose addresses have to be of the family of the rules. */
export function checkPacket(value: unknown, family: IpFamily): void {
  const packet = checkObject('packet', value, PACKET)
  checkChoice('packet', packet.origin, ['pod', 'node', 'outside'], 'origin')
  checkChoice('packet', packet.protocol, ['TCP', 'UDP', 'SCTP'], 'protocol')
  for (const field of ['source', 'destination']) {
    const address = packet[field]
    if (typeof address === 'string' && parseIp(address)?.family === family) continue
    throw createArgumentError(
      'packet',
      `${describeValue(address)} is not an address of ${family}`,
      `an address of ${family}`,
      field,
    )
  }
  checkPort(packet.destinationPort, 'destinationPort')
  if (packet.sourcePort !== undefined) checkPort(packet.sourcePort, 'sourcePort')
  checkOptionalFields('packet', packet, ['inInterface'], 'string')
}

function checkPort(value: unknown, path: string): void {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65535) return
  throw createArgumentError('packet', `${describeValue(value)} is not a port`, 'a whole number from 0 to 65535', path)
}

/** Checks facts about a node. */
export function checkTraceContext(name: string, value: unknown): void {
  const { addresses, affinity } = checkObject(name, value, 'an object with addresses and affinity entries')
  if (addresses !== undefined) checkStrings(name, addresses, 'a list of addresses', 'addresses')
  if (affinity === undefined) return
  const expected = 'a list of affinity entries'
  checkList(name, affinity, expected, 'affinity').forEach((entry, index) => {
    checkObject(name, entry, 'an affinity entry', `affinity[${index}]`)
  })
}
