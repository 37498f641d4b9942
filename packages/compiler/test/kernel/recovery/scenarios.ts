import type { ProxyMode } from '../../../src/targets/modes.js'
import type { NodeKind } from './node.js'

/** A kind of node and its modes, for tests with many changes. */
export interface Scenario extends NodeKind {
  readonly name: string
  readonly mode: ProxyMode
  readonly otherModes: readonly ProxyMode[]
}

/** The options of `pnpm endurance`: `mode=nftables events=10000 seed=7`. */
const requested = new Map(
  (process.env.KUBE_RULES_ENDURANCE ?? '').split(' ').map((word) => word.split('=') as [string, string]),
)

/** `ipvs-sets` is ipvs mode without virtual servers, because those need a kernel with ip_vs. */
const ALL: readonly Scenario[] = [
  { name: 'iptables-nft', mode: 'iptables', otherModes: ['nftables'], backend: 'nft', ipvs: 'ignored' },
  { name: 'iptables-legacy', mode: 'iptables', otherModes: ['nftables'], backend: 'legacy', ipvs: 'ignored' },
  { name: 'nftables', mode: 'nftables', otherModes: ['iptables'], backend: 'nft', ipvs: 'ignored' },
  { name: 'ipvs-sets', mode: 'ipvs', otherModes: ['iptables', 'nftables'], backend: 'nft', ipvs: 'partly' },
]

export const SCENARIOS = ALL.filter(({ name }) => isRequested(name))

export function isRequested(name: string): boolean {
  return name === (requested.get('mode') ?? name)
}

/** Returns the requested numbers, or the defaults. */
export function requestedNumbers<Numbers extends Readonly<Record<string, number>>>(defaults: Numbers): Numbers {
  const numbers = Object.entries(defaults).map(([name, value]) => [name, Number(requested.get(name) ?? value)])
  return Object.fromEntries(numbers)
}
