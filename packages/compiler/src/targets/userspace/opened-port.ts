import type { Block } from '../../dataplane/iptables/ast.js'
import { formatServicePort } from '../../model/services/format-service-port.js'
import { natRules, nonLocalRule } from './portal-rules.js'
import type { UserspaceContribution } from './userspace-contribution.js'

/** A service port with its port of the process, and the number of opened frontends. */
export interface OpenedPort {
  readonly part: UserspaceContribution
  readonly port: number
  readonly frontends: number
  readonly nat: Block
  /** The filter block; absent without a node port. */
  readonly filter?: Block | undefined
}

export function createOpenedPort(part: UserspaceContribution, port: number, frontends: number): OpenedPort {
  const opened = part.frontends.slice(0, frontends)
  const owner = formatServicePort(part.id)
  const nat = { owner, chains: [], rules: opened.flatMap((frontend) => natRules(part, frontend, port)) }
  const known = { part, port, frontends, nat }
  if (opened.at(-1)?.kind !== 'nodePort') return known
  return { ...known, filter: { owner, chains: [], rules: [nonLocalRule(part, port)] } }
}
