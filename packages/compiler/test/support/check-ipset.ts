import type { Diagnostic, IpFamily } from '@kube-rules/types'
import { parseCidr } from '@kube-rules/types/internal/cidr'
import { familyOf } from '@kube-rules/types/internal/ip'
import type {
  Entry,
  HashSet,
  IpSet,
  IpsetState,
  PortBitmap,
  SetDefinition,
  UnknownSet,
} from '../../src/dataplane/ipset/ast.js'
import { checkSetSizes } from '../../src/dataplane/ipset/check-sizes.js'
import { formatEntry, isParseableEntry } from '../../src/dataplane/ipset/entries.js'
import { isValidSetName } from '../../src/dataplane/ipset/words.js'

/** A problem of a set: the path within the set (empty for the whole set), and a sentence. */
interface Problem {
  readonly path: string
  readonly message: string
  readonly expected?: string | undefined
}

/**
 * Checks a state for everything that ipset would reject, as errors with code `structure` about the object `ipset NAME`.
 * Covers invalid and duplicate names, sizes and ranges, entries that do not fit their set, and more entries than
 * `maxelem`. Unknown sets, entries and options are accepted and left to ipset.
 */
export function checkIpset(state: IpsetState): readonly Diagnostic[] {
  const seen = new Set<string>()
  const found = state.sets.flatMap((set) => {
    const problems = [...checkName(set, seen), ...checkSet(set)]
    seen.add(set.name)
    return problems.map((problem) => toDiagnostic(set, problem))
  })
  return [...found, ...checkSetSizes(state)]
}

function toDiagnostic(set: IpSet, problem: Problem): Diagnostic {
  const { path, message, expected } = problem
  const object = { kind: 'ipset', name: set.name }
  return { severity: 'error', code: 'structure', object, ...(path && { path }), message, ...(expected && { expected }) }
}

function checkName(set: IpSet, seen: ReadonlySet<string>): readonly Problem[] {
  if (!isValidSetName(set.name)) {
    return [{ path: 'name', message: 'cannot be the name of a set', expected: 'one word of 1 to 31 bytes' }]
  }
  return seen.has(set.name) ? [{ path: 'name', message: 'another set has this name' }] : []
}

function checkSet(set: IpSet): readonly Problem[] {
  if (set.type === 'unknown') return checkUnknownSet(set)
  const problems = [...(set.type === 'bitmap:port' ? checkRange(set) : checkSizes(set))]
  set.entries.forEach((entry, index) => {
    for (const message of checkEntry(set, entry)) problems.push({ path: `entries[${index}]`, message })
  })
  return problems
}

function checkUnknownSet(set: UnknownSet): readonly Problem[] {
  return set.words.length > 0 ? [] : [{ path: 'words', message: 'the set has no type' }]
}

function checkRange({ firstPort, lastPort }: PortBitmap): readonly Problem[] {
  if (isPort(firstPort) && isPort(lastPort) && firstPort <= lastPort) return []
  return [{ path: 'firstPort', message: `${firstPort}-${lastPort} is not a range of ports`, expected: '0 to 65535' }]
}

function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 65535
}

function checkSizes(set: HashSet): readonly Problem[] {
  const sizes = (['hashsize', 'maxelem'] as const).filter((size) => !isSize(set[size]))
  return sizes.map((path) => ({
    path,
    message: `${set[path]} is not a size`,
    expected: 'a whole number from 1 to 4294967295',
  }))
}

function isSize(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value <= 0xffffffff
}

/** Checks one entry and returns sentences. There are very many entries, so only problems allocate. */
function checkEntry(set: Exclude<SetDefinition, { readonly type: 'unknown' }>, entry: Entry): readonly string[] {
  if (entry.kind === 'unknown') return NO_PROBLEMS
  if (!isParseableEntry(set.type, entry)) return [`${formatEntry(entry)} is not an entry of ${set.type}`]
  return set.type === 'bitmap:port' ? checkPort(set, entry) : checkAddresses(set, entry)
}

const NO_PROBLEMS: readonly string[] = []

function checkPort({ firstPort, lastPort }: Omit<PortBitmap, 'entries'>, entry: Entry): readonly string[] {
  if (entry.kind !== 'port' || (entry.port >= firstPort && entry.port <= lastPort)) return NO_PROBLEMS
  return [`port ${entry.port} is outside the range ${firstPort}-${lastPort}`]
}

function checkAddresses({ type, family: setFamily }: Omit<HashSet, 'entries'>, entry: Entry): readonly string[] {
  const family: IpFamily = setFamily === 'inet' ? 'IPv4' : 'IPv6'
  const foreign = addresses(entry).filter((address) => familyOf(address) !== family)
  if (foreign.length === 0 && !isZeroCidr(entry)) return NO_PROBLEMS
  return [
    ...foreign.map((address) => `${address} is not ${family}, the family of the set`),
    ...(isZeroCidr(entry) ? [`${type} cannot contain a network with prefix length 0`] : []),
  ]
}

function addresses(entry: Entry): readonly string[] {
  if (entry.kind === 'ip' || entry.kind === 'ip,port') return [entry.address]
  if (entry.kind === 'ip,port,ip') return [entry.address, entry.secondAddress]
  return entry.kind === 'ip,port,net' ? [entry.address, entry.network] : []
}

function isZeroCidr(entry: Entry): boolean {
  return entry.kind === 'ip,port,net' && parseCidr(entry.network)?.prefixLength === 0
}
