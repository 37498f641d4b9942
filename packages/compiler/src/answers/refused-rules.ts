import type { Answer } from './answer.js'
import type { PacketFacts } from './packet-facts.js'

/** That kube-proxy cannot load any of its rules. */
export function refusedRulesAnswer({ wanted }: PacketFacts): Answer | undefined {
  const refused = wanted?.refused
  if (wanted === undefined || refused === undefined) return undefined
  const { object, reason, rule, fixedIn } = refused
  return {
    code: 'refusedRules',
    happens: `kube-proxy ${wanted.version} cannot load these rules: no Service of this node is updated any more`,
    why: `${object}: ${reason} (${rule})`,
    todo: `${fixedIn === undefined ? 'change' : `update kube-proxy to ${fixedIn} or newer, or change`} ${object}`,
    object,
    rule,
  }
}
