import { invariant } from '../../internal/invariant.js'
import type { TableFamily } from './ast.js'
import type { NftVersion } from './version.js'

interface NamedPriority {
  readonly name: string
  readonly value: number
  /** The hooks where the priority has this name. If absent, the priority has this name at every hook. */
  readonly hooks?: readonly string[] | undefined
  /** The additional hooks where the priority has this name since nft 1.0.8. */
  readonly laterHooks?: readonly string[] | undefined
}

const OF_IP: readonly NamedPriority[] = [
  { name: 'raw', value: -300 },
  { name: 'mangle', value: -150 },
  { name: 'dstnat', value: -100, hooks: ['prerouting'], laterHooks: ['output'] },
  { name: 'filter', value: 0 },
  { name: 'security', value: 50 },
  { name: 'srcnat', value: 100, hooks: ['postrouting'], laterHooks: ['input'] },
]

const OF_BRIDGE: readonly NamedPriority[] = [
  { name: 'dstnat', value: -300, hooks: ['prerouting'] },
  { name: 'filter', value: -200 },
  { name: 'out', value: 100, hooks: ['output'] },
  { name: 'srcnat', value: 300, hooks: ['postrouting'] },
]

const OF_OTHERS: readonly NamedPriority[] = [{ name: 'filter', value: 0 }]

/** The maximum offset of a priority that nft prints relative to a named priority. */
const REACH = 10

function namedPriorities(family: TableFamily): readonly NamedPriority[] {
  if (family === 'bridge') return OF_BRIDGE
  return family === 'arp' || family === 'netdev' ? OF_OTHERS : OF_IP
}

/** Formats a priority like nft: `filter`, `dstnat - 10`, `-90`. */
export function formatNftPriority(priority: number, family: TableFamily, hook: string, version: NftVersion): string {
  const near = namedPriorities(family).find(({ value }) => Math.abs(priority - value) <= REACH)
  if (near === undefined || !isNamedAt(near, hook, version)) return formatPriority(priority)
  const offset = priority - near.value
  if (offset === 0) return near.name
  return offset > 0 ? `${near.name} + ${formatPriority(offset)}` : `${near.name} - ${formatPriority(-offset)}`
}

/** Reports whether a priority is an integer of 32 bits. */
export function isValidPriority(priority: number): boolean {
  return (priority | 0) === priority
}

/** Formats a priority as a number. Throws if the number does not fit in 32 bits. */
export function formatPriority(priority: number): string {
  if (!isValidPriority(priority)) invariant(false, `${priority} cannot be a priority`)
  return String(priority)
}

function isNamedAt({ hooks, laterHooks }: NamedPriority, hook: string, version: NftVersion): boolean {
  if (hooks === undefined || hooks.includes(hook)) return true
  return version === '1.1' && laterHooks?.includes(hook) === true
}

/** Returns the number of a priority name. Returns undefined if the family does not have the name. */
export function parsePriorityName(name: string, family: TableFamily): number | undefined {
  return namedPriorities(family).find((each) => each.name === name)?.value
}
