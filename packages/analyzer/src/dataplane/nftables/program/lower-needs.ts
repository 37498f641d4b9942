import { NEVER } from '../../../program/literals.js'
import type { Literal } from '../../../program/program.js'
import type { PacketScope } from './comparison.js'
import type { SelectorNeed } from './selector-row.js'
import { connectionLiterals } from './stage.js'

/** Returns the literals that a packet has everything that selectors need. */
export function lowerNeeds(needs: readonly SelectorNeed[], scope: PacketScope): readonly Literal[] {
  return needs.flatMap((need) => lowerNeed(need, scope))
}

function lowerNeed(need: SelectorNeed, { family, stage }: PacketScope): readonly Literal[] {
  switch (need.kind) {
    case 'family':
      return need.family === family ? [] : [NEVER]
    case 'protocol':
      return [protocolLiteral(need.protocol)]
    case 'connection':
      return connectionLiterals(stage)
    case 'sender':
      return [{ kind: 'sentByNode' }]
  }
}

const PROTOCOLS: ReadonlyMap<string, Literal> = new Map(
  ['tcp', 'udp', 'sctp'].map((protocol) => [protocol, { kind: 'protocol', protocols: [protocol] }]),
)

/** Returns the literal of a protocol. Very many rules share those of the transport protocols. */
function protocolLiteral(protocol: string): Literal {
  return PROTOCOLS.get(protocol) ?? { kind: 'protocol', protocols: [protocol] }
}
