import { parseNetwork } from '@kube-rules/compiler/internal/dataplane/iptables/network'
import { parseNumber } from '@kube-rules/compiler/internal/dataplane/iptables/words'
import { canonicalizeProtocol, parseProtocolNumber } from '@kube-rules/compiler/internal/dataplane/netfilter/protocols'
import { withoutHostPrefix } from '@kube-rules/types/internal/cidr'
import { ALWAYS, NEVER, negateLiteralIf, UNKNOWN } from '../../../../program/literals.js'
import type { Condition, Literal } from '../../../../program/program.js'
import { resolvePortNames } from '../../../netfilter/port-names.js'
import type { ModuleOption } from '../module-options.js'
import { lowerEach, type MatchContext, type MatchModule } from './match-module.js'
import { MAX_PORT } from './read-values.js'

/** Returns the literal that is true if a virtual server with these fields accepted the packet. */
export function virtualServerLiteral(
  fields: Omit<Condition & { readonly kind: 'virtualServer' }, 'kind' | 'negated'> = {},
): Literal {
  return { kind: 'virtualServer', ...fields }
}

export const ipvs: MatchModule = {
  name: 'ipvs',
  meanings: [
    {
      options: '--ipvs, --vproto, --vaddr, --vport, --vdir',
      decision: 'decided',
      reason: 'the virtual server that accepted the packet; without one, even negated options other than `--ipvs` fail',
    },
    { options: '--vmethod, --vportctl', decision: 'partly', reason: 'does not match without a virtual server' },
  ],
  syntax: { '--ipvs': 0, '--vproto': 1, '--vaddr': 1, '--vport': 1, '--vdir': 1, '--vmethod': 1, '--vportctl': 1 },
  lower: (options, context) => {
    const [first] = options
    if (first?.name === '--ipvs' && options.length === 1)
      return [negateLiteralIf(first.negated, virtualServerLiteral())]
    const literals = lowerFields(
      options.filter(({ name }) => name !== '--ipvs'),
      context,
    )
    return literals && [virtualServerLiteral(), ...literals]
  },
}

const lowerFields = lowerEach(({ name, values: [text = ''] }: ModuleOption, { family }: MatchContext) => {
  switch (name) {
    case '--vproto': {
      const number = parseProtocolNumber(text.toLowerCase())
      return number === undefined ? undefined : virtualServerLiteral({ protocol: canonicalizeProtocol(String(number)) })
    }
    case '--vaddr': {
      const network = parseNetwork(text, family)
      if (network === undefined) return undefined
      const address = withoutHostPrefix(network)
      return address.includes('/') ? UNKNOWN : virtualServerLiteral({ address })
    }
    case '--vport': {
      const port = parseNumber(resolvePortNames(text), MAX_PORT)
      return port === undefined ? undefined : virtualServerLiteral({ port })
    }
    case '--vdir':
      return text.toUpperCase() === 'ORIGINAL' ? ALWAYS : text.toUpperCase() === 'REPLY' ? NEVER : undefined
    default:
      return UNKNOWN
  }
})
