import { chainOfId } from '../../dataplane/iptables/resources.js'
import type { NodeState } from '../../dataplane/languages.js'
import type { Inspection, Mode, StateCounts } from '../mode.js'
import { inspectBlock, inspectFixedBlocks, sumOfCounts } from '../shared/inspect-block.js'
import { iptablesCustody } from '../shared/iptables-custody.js'
import { isServicePortChainOfAnyAge } from '../shared/kube-chains.js'
import { readPodTraffic } from '../shared/read-pod-traffic.js'
import { assemble } from './assemble.js'
import { attributeRules } from './attribute-rules.js'
import { cleanUp } from './clean-up.js'
import { FILTER_CHAINS, NAT_CHAINS } from './fixed-rules.js'
import { LIMITATIONS } from './limitations.js'
import { type Lowering, lowering } from './lowering.js'
import { readFrontends } from './read-frontends.js'
import { type ServiceBlocks, serviceBlocks } from './service-blocks.js'

/** Mode `iptables`. Its limitations are nothing to report of a service port: no Service is served otherwise for them. */
export const iptablesMode: Mode<Lowering, ServiceBlocks> = {
  languages: ['iptables'],
  limitations: LIMITATIONS,
  limitationsOf: () => [],
  validate: () => [],
  lowering,
  lowerService: serviceBlocks,
  inspectPart,
  assemble,
  inspectState,
  hostSettings: () => undefined,
  attribute: (live) => (live.iptables === undefined ? live : { ...live, iptables: attributeRules(live.iptables) }),
  frontends: ({ iptables }) => (iptables === undefined ? [] : readFrontends(iptables)),
  podTraffic: ({ iptables }) => iptables && readPodTraffic(iptables),
  custody: () => ({ iptables: iptablesCustody(isOwnChain) }),
  leavesBehind: (id) => isOwnChain(chainOfId(id).chain),
  cleanUp,
}

const OWN_CHAINS: ReadonlySet<string> = new Set([
  ...FILTER_CHAINS,
  ...NAT_CHAINS,
  // Of mode userspace, which came before.
  'KUBE-PORTALS-CONTAINER',
  'KUBE-PORTALS-HOST',
  'KUBE-NODEPORT-CONTAINER',
  'KUBE-NODEPORT-HOST',
  'KUBE-NODEPORT-NON-LOCAL',
])

function isOwnChain(chain: string): boolean {
  return OWN_CHAINS.has(chain) || isServicePortChainOfAnyAge(chain)
}

function inspectPart({ filter, nat }: ServiceBlocks): StateCounts {
  return sumOfCounts([inspectBlock(filter, 'filter', FILTER_CHAINS), inspectBlock(nat, 'nat', NAT_CHAINS)])
}

function inspectState({ iptables }: NodeState): Inspection {
  return { counts: sumOfCounts(iptables?.tables.map(inspectFixedBlocks) ?? []), diagnostics: [] }
}
