import type { IptablesState, Rule } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { canonicalizeProtocol } from '@kube-rules/compiler/internal/dataplane/netfilter/protocols'
import { formatServicePort } from '@kube-rules/compiler/internal/model/services/format-service-port'
import { isServicePortChainOfAnyVersion } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { isHealthCheckComment, parseServicePortName } from './comment-name.js'

/** The label of a service port in blocks, such as `default/web:http/TCP`; empty for blocks without owner. */
export type Owner = string

/** The protocols of service ports by name, from the rules that dispatch to them. */
export type ProtocolsByName = ReadonlyMap<string, readonly string[]>

export function protocolsByName({ tables }: IptablesState): ProtocolsByName {
  const protocols = new Map<string, string[]>()
  for (const { blocks } of tables) {
    for (const block of blocks)
      for (const rule of getBlockRules(block)) if (isShared(rule.chain)) addProtocol(protocols, rule)
  }
  return protocols
}

/** Reports whether several service ports may have rules in the chain. */
function isShared(chain: string): boolean {
  return chain.startsWith('KUBE-') && !isServicePortChainOfAnyVersion(chain)
}

function addProtocol(protocols: Map<string, string[]>, rule: Rule): void {
  const comment = commentOf(rule)
  const name = comment === undefined || isHealthCheckComment(comment) ? undefined : parseServicePortName(comment)
  const protocol = name === undefined ? undefined : protocolOf(rule)
  if (name === undefined || protocol === undefined) return
  const existing = protocols.get(name)
  if (existing === undefined) protocols.set(name, [protocol])
  else if (!existing.includes(protocol)) existing.push(protocol)
}

/** Returns the owner of a rule in a shared chain; empty for a rule without a service port. */
export function findRuleOwner(rule: Rule, protocols: ProtocolsByName): Owner {
  if (!isShared(rule.chain)) return ''
  const comment = commentOf(rule)
  const name = comment === undefined ? undefined : parseServicePortName(comment)
  if (comment === undefined || name === undefined) return ''
  const existing = protocols.get(name) ?? []
  const own = protocolOf(rule)
  const isOfAnother = isHealthCheckComment(comment) && own !== undefined && !existing.includes(own)
  return ownerOf(name, (isOfAnother ? existing[0] : own) ?? own ?? existing[0])
}

/**
 * Returns the owner of a chain from its own rules. If they do not show it, or not the protocol, returns the owner of
 * `leader`.
 */
export function findChainOwner(rules: readonly Rule[], leader: Owner, protocols: ProtocolsByName): Owner {
  const name = firstOf(rules, (rule) => parseServicePortName(commentOf(rule) ?? ''))
  if (name === undefined) return leader
  const protocol = firstOf(rules, protocolOf)
  if (protocol !== undefined) return ownerOf(name, protocol)
  return leader.startsWith(formatServicePort({ text: name, protocol: '' }))
    ? leader
    : ownerOf(name, protocols.get(name)?.[0])
}

function ownerOf(name: string, protocol: string | undefined): Owner {
  return protocol === undefined ? '' : formatServicePort({ text: name, protocol })
}

function firstOf<Value>(rules: readonly Rule[], find: (rule: Rule) => Value | undefined): Value | undefined {
  for (const rule of rules) {
    const value = find(rule)
    if (value !== undefined) return value
  }
  return undefined
}

function commentOf({ matches }: Rule): string | undefined {
  for (const match of matches) if (match.kind === 'comment') return match.text
  return undefined
}

/** Returns the protocol of a rule, such as `TCP`. */
function protocolOf({ matches }: Rule): string | undefined {
  for (const match of matches) {
    if (match.kind === 'protocol' && !match.negated) return canonicalizeProtocol(match.protocol).toUpperCase()
  }
  return undefined
}
