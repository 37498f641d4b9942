import type { CompiledMode } from '../../../src/targets/modes.js'
import type { NodeKind } from './node.js'

/** The ways of a node that are tried, and which of them `pnpm endurance` asks for. */
export interface Course extends Pick<NodeKind, 'backend'> {
  readonly name: string
  readonly mode: CompiledMode
  readonly otherModes: readonly CompiledMode[]
}

/** What `pnpm endurance` says: `mode=nftables events=10000 seed=7`. */
const asked = new Map(
  (process.env.KUBE_RULES_ENDURANCE ?? '').split(' ').map((word) => word.split('=') as [string, string]),
)

/** Whether this is no run of the whole suite. */
export const isAsked = process.env.KUBE_RULES_ENDURANCE !== undefined

const ALL: readonly Course[] = [
  { name: 'iptables-nft', mode: 'iptables', otherModes: ['nftables'], backend: 'nft' },
  { name: 'iptables-legacy', mode: 'iptables', otherModes: ['nftables'], backend: 'legacy' },
  { name: 'nftables', mode: 'nftables', otherModes: ['iptables'], backend: 'nft' },
]

export const COURSES = ALL.filter(({ name }) => name === (asked.get('mode') ?? name))

/** Numbers that are asked for, else those given. */
export function askedFor<Numbers extends Readonly<Record<string, number>>>(defaults: Numbers): Numbers {
  const numbers = Object.entries(defaults).map(([name, value]) => [name, Number(asked.get(name) ?? value)])
  return Object.fromEntries(numbers)
}
