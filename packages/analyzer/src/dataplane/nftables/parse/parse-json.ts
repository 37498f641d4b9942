import type {
  Chain,
  NamedObject,
  NamedSet,
  Rule,
  Table,
  TableFamily,
} from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { printListing } from '@kube-rules/compiler/internal/dataplane/nftables/print/print-listing'
import { elementAt } from '@kube-rules/compiler/internal/internal/known-items'
import type { Result } from '@kube-rules/types'
import { createTextProblem, MAX_PROBLEMS, type TextProblem } from '../../netfilter/text-problem.js'
import { parseJsonChain, parseJsonObject, parseJsonSet } from './json-objects.js'
import { parseJsonStatements } from './json-statements.js'
import { isNestedDeeper, isRecord, type Json, readJsonNumber, readJsonString, withoutAbsent } from './json-values.js'
import type { NftablesProblem, NftablesProblemCode } from './problem.js'

/**
 * Parses the tables in the output of `nft -j list ruleset` or `nft -j list table`, in order; returns the problem on
 * failure. Unknown objects, and information about nft itself, are ignored; unknown statements are stored as JSON.
 */
export function parseNftablesJson(source: string): Result<readonly Table[], TextProblem<NftablesProblemCode>> {
  const problems: NftablesProblem[] = []
  const report = (message: string) => {
    if (problems.length < MAX_PROBLEMS) {
      const problem = { code: 'invalidJson', text: 0, line: 1, column: 1, message } as const
      problems.push(createTextProblem(problem, elementAt(source.split('\n', 1), 0)))
    }
    return undefined
  }
  const items = itemsOf(source)
  if (items === undefined) report('this is not JSON of nft: expected an object with the list "nftables"')
  const tables = new Map<string, OpenTable>()
  for (const [index, item] of (items ?? []).entries()) {
    const reason = isNestedDeeper(item, MAXIMUM_DEPTH) ? TOO_DEEP : readItem(item, tables)
    if (reason !== undefined) report(`nftables[${index}] ${reason}`)
  }
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, value: [...tables.values()].map(closeTable) }
}

interface OpenTable {
  readonly head: Omit<Table, 'chains' | 'sets' | 'objects'>
  readonly chains: Map<string, { readonly chain: Omit<Chain, 'rules'>; readonly rules: Rule[] }>
  readonly sets: NamedSet[]
  readonly objects: NamedObject[]
}

function closeTable({ head, chains, sets, objects }: OpenTable): Table {
  return { ...head, chains: [...chains.values()].map(({ chain, rules }) => ({ ...chain, rules })), sets, objects }
}

function itemsOf(source: string): readonly Json[] | undefined {
  try {
    const json: Json = JSON.parse(source)
    return isRecord(json) && Array.isArray(json.nftables) ? json.nftables : undefined
  } catch {
    return undefined
  }
}

/** The maximum depth of lists and objects in an item. The expressions of nft need less than 20. */
const MAXIMUM_DEPTH = 100

const TOO_DEEP = `is nested too deeply (expected at most ${MAXIMUM_DEPTH} levels)`

const FAMILIES: ReadonlySet<string> = new Set<TableFamily>(['ip', 'ip6', 'inet', 'arp', 'bridge', 'netdev'])

/** Adds one item of the list to its table. If the item is invalid, returns the problem. */
function readItem(item: Json, tables: Map<string, OpenTable>): string | undefined {
  const [entry] = isRecord(item) ? Object.entries(item) : []
  if (entry === undefined) return 'is not an object'
  const [kind, value] = entry
  if (kind === 'metainfo') return undefined
  if (!isRecord(value)) return `has no ${kind}`
  const family = readJsonString(value.family)
  const tableName = readJsonString(kind === 'table' ? value.name : value.table)
  if (family === undefined || !FAMILIES.has(family) || tableName === undefined) return 'does not name its table'
  const key = `${family} ${tableName}`
  if (kind === 'table') {
    if (tables.has(key)) return 'names a table that already exists'
    const table = openTable(value, family as TableFamily, tableName)
    if (!canHave(table, {})) return NOT_PRINTED
    tables.set(key, table)
    return undefined
  }
  const table = tables.get(key)
  if (table === undefined) return 'belongs to a missing table'
  return readPart(kind, value, table)
}

function openTable(value: Readonly<Record<string, Json>>, family: TableFamily, name: string): OpenTable {
  const flags = Array.isArray(value.flags) ? value.flags.map(String) : readJsonString(value.flags)?.split(',')
  const head = withoutAbsent({
    family,
    name,
    flags: flags?.length === 0 ? undefined : flags,
    comment: readJsonString(value.comment),
    handle: readJsonNumber(value.handle),
  })
  return { head, chains: new Map(), sets: [], objects: [] }
}

function readPart(kind: string, value: Readonly<Record<string, Json>>, table: OpenTable): string | undefined {
  switch (kind) {
    case 'chain': {
      const chain = parseJsonChain(value)
      if (chain === undefined) return 'is a chain that cannot be read'
      if (!canHave(table, { chains: [{ ...chain, rules: [] }] })) return NOT_PRINTED
      table.chains.set(chain.name, { chain, rules: [] })
      return undefined
    }
    case 'set':
    case 'map': {
      const set = parseJsonSet(kind, value)
      if (set === undefined) return `is a ${kind} that cannot be read`
      if (!canHave(table, { sets: [set] })) return NOT_PRINTED
      table.sets.push(set)
      return undefined
    }
    case 'rule': {
      const open = table.chains.get(readJsonString(value.chain) ?? '')
      const statements = Array.isArray(value.expr) ? parseJsonStatements(value.expr) : undefined
      if (open === undefined || statements === undefined) return 'is a rule of a missing chain'
      const [comment, handle] = [readJsonString(value.comment), readJsonNumber(value.handle)]
      const rule = withoutAbsent({ statements, comment, handle })
      // `unknownJson` statements are left out of the check, because they have no form in a listing.
      const listed = { ...rule, statements: statements.filter(({ kind }) => kind !== 'unknownJson') }
      if (!canHave(table, { chains: [{ ...open.chain, rules: [listed] }] })) return NOT_PRINTED
      open.rules.push(rule)
      return undefined
    }
    default: {
      const object = parseJsonObject(kind, value)
      if (object === undefined) return undefined
      if (!canHave(table, { objects: [object] })) return NOT_PRINTED
      table.objects.push(object)
      return undefined
    }
  }
}

const NOT_PRINTED = 'has a name, word or number that nft does not print'

/**
 * Reports whether a table with the given part can be printed: all its names, words and numbers must be printable. Names
 * from text input always are, but names from JSON may not be. This check guarantees that printing a parsed table never
 * throws.
 */
function canHave({ head }: OpenTable, part: Partial<Table>): boolean {
  try {
    printListing({ ...head, chains: [], sets: [], objects: [], ...part }, { version: '1.1' })
    return true
  } catch {
    return false
  }
}
