import type { Field, Literal, Side } from './program.js'

/** Whether a literal reads the source or the destination. The packets of a path differ in no other field. */
export interface ReadFields {
  readonly source: boolean
  readonly destination: boolean
}

const NOTHING: ReadFields = { source: false, destination: false }
const SOURCE: ReadFields = { source: true, destination: false }
const DESTINATION: ReadFields = { source: false, destination: true }

/**
 * Returns the fields that a literal reads. If a field is missing here, different packets of a path have the same result.
 * Therefore, the function lists every kind of condition, and a new kind is a type error.
 */
export function readFieldsOf(literal: Literal): ReadFields {
  switch (literal.kind) {
    case 'address':
    case 'addressType':
      return fieldsOfSide(literal.side)
    case 'port':
      // All packets of a path have the same source port.
      return literal.side === 'destination' ? DESTINATION : NOTHING
    case 'interface':
      // The route to the destination determines the outgoing interface.
      return literal.direction === 'out' ? DESTINATION : NOTHING
    case 'lookup':
      return { source: literal.fields.includes('source'), destination: literal.fields.some(isDestinationField) }
    case 'seen':
      return SOURCE
    case 'all':
      return {
        source: literal.literals.some((each) => readFieldsOf(each).source),
        destination: literal.literals.some((each) => readFieldsOf(each).destination),
      }
    case 'protocol':
    case 'state':
    case 'mark':
    case 'localAddress':
    case 'bridged':
    case 'sentByNode':
    case 'virtualServer':
    case 'chance':
    case 'always':
    case 'unknown':
      return NOTHING
  }
}

function fieldsOfSide(side: Side): ReadFields {
  if (side === 'source') return SOURCE
  return side === 'destination' ? DESTINATION : NOTHING
}

function isDestinationField(field: Field): boolean {
  return field === 'destination' || field === 'destinationPort'
}
