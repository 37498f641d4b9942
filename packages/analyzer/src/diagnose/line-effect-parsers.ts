import type { StateOf, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { effectOf as effectOfRule } from '../dataplane/iptables/effect-of.js'
import type { LineEffect } from '../dataplane/netfilter/line-effect.js'
import { effectOf as effectOfStatements } from '../dataplane/nftables/effect-of.js'

/** The effect of a printed line of a subsystem on packets. */
export interface LineEffectParser<State> {
  effectOf?(line: string, state: State | undefined): LineEffect
}

/** Without `effectOf`, a single line of the subsystem has no effect on packets. */
export const LINE_EFFECT_PARSERS: { readonly [S in Subsystem]: LineEffectParser<StateOf<S>> } = {
  nftables: { effectOf: effectOfStatements },
  ipset: {},
  ipvs: {
    effectOf: (line) => ({
      refuses: false,
      sendsTo: /^-a .* -r (\S+) /.exec(line)?.slice(1) ?? [],
      acceptsNoConnections: / -w 0\b/.test(line),
      rule: line,
    }),
  },
  addresses: {},
  iptables: { effectOf: effectOfRule },
}
