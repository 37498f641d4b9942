import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'
import { createArgumentTypeError } from '../model/reading/argument-error.js'
import { checkChoice, checkObject, checkOptionalFields } from './check-argument.js'

const PACKET = 'a packet with origin, protocol, source, destination and destinationPort'
const ORIGINS = ['pod', 'node', 'outside']
const PROTOCOLS = ['TCP', 'UDP', 'SCTP']
const ADDRESSES = ['source', 'destination']
const INTERFACES = ['inInterface']

/**
 * Checks a packet. The source and the destination must be addresses of `family` or, without `family`, of the same
 * family.
 */
export function checkPacket(value: unknown, family?: IpFamily): void {
  const packet = checkObject('packet', value, PACKET)
  checkChoice('packet', packet.origin, ORIGINS, 'origin')
  checkChoice('packet', packet.protocol, PROTOCOLS, 'protocol')
  const expected = family ?? familyOfAddress(packet.destination)
  for (const field of ADDRESSES) {
    const fieldFamily = familyOfAddress(packet[field])
    if (fieldFamily !== undefined && fieldFamily === expected) continue
    const addresses = `an address of ${expected ?? IP_FAMILIES.join(' or ')}`
    throw createArgumentTypeError('packet', packet[field], addresses, field)
  }
  checkPort(packet.destinationPort, 'destinationPort')
  if (packet.sourcePort !== undefined) checkPort(packet.sourcePort, 'sourcePort')
  checkOptionalFields('packet', packet, INTERFACES, 'string')
}

function familyOfAddress(value: unknown): IpFamily | undefined {
  return parseIp(value)?.family
}

function checkPort(value: unknown, path: string): void {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65535) return
  throw createArgumentTypeError('packet', value, 'a port', path, 'a whole number from 0 to 65535')
}
