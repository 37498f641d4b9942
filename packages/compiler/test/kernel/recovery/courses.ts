import type { ProxyMode } from '../../../src/targets/modes.js'
import type { NodeKind } from './node.js'

/** The ways of a node that are tried, and which of them `pnpm endurance` asks for. */
export interface Course extends Pick<NodeKind, 'backend'> {
  readonly name: string
  readonly mode: ProxyMode
  readonly otherModes: readonly ProxyMode[]
}

/** What `pnpm endurance` says: `mode=nftables events=10000 seed=7`. */
const readSet = new Map(
  (process.env.KUBE_RULES_ENDURANCE ?? '').split(' ').map((word) => word.split('=') as [string, string]),
)

const ALL: readonly Course[] = [
  { name: 'iptables-nft', mode: 'iptables', otherModes: ['nftables'], backend: 'nft' },
  { name: 'iptables-legacy', mode: 'iptables', otherModes: ['nftables'], backend: 'legacy' },
  { name: 'nftables', mode: 'nftables', otherModes: ['iptables'], backend: 'nft' },
]

export const COURSES = ALL.filter(({ name }) => isInReadSet(name))

export function isInReadSet(name: string): boolean {
  return name === (readSet.get('mode') ?? name)
}

/** Numbers that are asked for, else those given. */
export function readSetFor<Numbers extends Readonly<Record<string, number>>>(defaults: Numbers): Numbers {
  const numbers = Object.entries(defaults).map(([name, value]) => [name, Number(readSet.get(name) ?? value)])
  return Object.fromEntries(numbers)
}
