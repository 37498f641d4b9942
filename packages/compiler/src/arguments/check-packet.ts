import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'
import { PROTOCOLS } from '@kube-rules/types/internal/protocol'
import { createArgumentTypeError } from '../model/reading/argument-error.js'
import { checkChoice, checkObject, checkOptionalFields } from './check-argument.js'

const PACKET = 'a packet with origin, protocol, source, destination and destinationPort'
const ORIGINS = ['pod', 'node', 'outside']
const ADDRESSES = ['source', 'destination']
const INTERFACES = ['inInterface']
const FLAGS = ['isSourceUnknown']

/**
 * Checks a packet. The source and the destination must be canonical addresses of `family` or, without `family`, of the
 * same family. Rules contain only canonical addresses, so no rule would match another form of an address.
 */
export function checkPacket(value: unknown, family?: IpFamily): void {
  const packet = checkObject('packet', value, PACKET)
  checkChoice('packet', packet.origin, ORIGINS, 'origin')
  checkChoice('packet', packet.protocol, PROTOCOLS, 'protocol')
  const expected = family ?? parseIp(packet.destination)?.family
  for (const field of ADDRESSES) {
    const address = parseIp(packet[field])
    if (address === undefined || address.family !== expected) {
      const addresses = `an address of ${expected ?? IP_FAMILIES.join(' or ')}`
      throw createArgumentTypeError('packet', packet[field], addresses, field)
    }
    if (address.text === packet[field]) continue
    throw createArgumentTypeError('packet', packet[field], 'the canonical form of an address', field, address.text)
  }
  checkPort(packet.destinationPort, 'destinationPort')
  if (packet.sourcePort !== undefined) checkPort(packet.sourcePort, 'sourcePort')
  checkOptionalFields('packet', packet, INTERFACES, 'string')
  checkOptionalFields('packet', packet, FLAGS, 'boolean')
}

function checkPort(value: unknown, path: string): void {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65535) return
  throw createArgumentTypeError('packet', value, 'a port', path, 'a whole number from 0 to 65535')
}
