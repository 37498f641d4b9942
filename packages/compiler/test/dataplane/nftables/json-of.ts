import type { Element, Operand, Selector, Statement, Table, Verdict } from '../../../src/dataplane/nftables/ast.js'

// Formats a table as `nft -j list ruleset` does, except for fields that some versions omit. Supports parsed statements
// only.

type Json = unknown

export function jsonOf(tables: readonly Table[]): string {
  const items = tables.flatMap((table) => {
    const { family, name } = table
    const at = { family, table: name }
    return [
      { table: { family, name, handle: 1, flags: table.flags, comment: table.comment } },
      ...table.objects.map((object) => ({
        [object.kind === 'counter' ? 'counter' : object.type]: { ...at, ...object, kind: undefined },
      })),
      ...table.sets.map((set) => ({
        [set.kind]: {
          ...at,
          name: set.name,
          type: set.key.kind === 'type' ? one(set.key.types) : 'unknown',
          handle: 2,
          comment: set.comment,
          map: set.data?.join(' . '),
          policy: set.policy,
          flags: set.flags,
          timeout: seconds(set.timeout),
          'gc-interval': seconds(set.gcInterval),
          size: set.size,
          'auto-merge': set.autoMerge,
          stmt: set.counts === true ? [{ counter: null }] : undefined,
          elem: set.elements.length === 0 ? undefined : set.elements.map(element),
        },
      })),
      ...table.chains.map(({ name: chain, base, comment }) => ({
        chain: {
          ...at,
          name: chain,
          handle: 3,
          comment,
          type: base?.type,
          hook: base?.hook,
          prio: base?.priority,
          policy: base?.policy,
          dev: base?.devices,
        },
      })),
      ...table.chains.flatMap((chain) =>
        chain.rules.map((rule) => ({
          rule: { ...at, chain: chain.name, handle: 4, comment: rule.comment, expr: rule.statements.map(statement) },
        })),
      ),
    ]
  })
  return JSON.stringify({ nftables: [{ metainfo: { version: '1.0.6', json_schema_version: 1 } }, ...items] })
}

function one(list: readonly string[]): Json {
  return list.length === 1 ? list[0] : list
}

function seconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000
}

function key(text: string): Json {
  const parts = text.split(' . ').map(part)
  return parts.length === 1 ? parts[0] : { concat: parts }
}

function part(text: string): Json {
  if (/^\d+$/.test(text)) return Number(text)
  if (text.includes('/')) return { prefix: { addr: text.split('/')[0], len: Number(text.split('/')[1]) } }
  return /^[\d.]+-[\d.]+$/.test(text) ? { range: text.split('-').map(part) } : text
}

function element({ key: its, verdict, data, comment, timeout, expires, counter }: Element): Json {
  const options = { comment, timeout: seconds(timeout), expires: seconds(expires), counter }
  const isBare = Object.values(options).every((option) => option === undefined)
  const bare = isBare ? key(its) : { elem: { val: key(its), ...options } }
  if (verdict !== undefined) return [bare, verdictOf(verdict)]
  return data === undefined ? bare : [bare, key(data)]
}

function verdictOf(verdict: Verdict): Json {
  return { [verdict.kind]: 'chain' in verdict ? { target: verdict.chain } : null }
}

function selectors(list: readonly Selector[]): Json {
  const parts = list.map(({ kind, ...rest }) => ({ [kind]: rest }))
  return parts.length === 1 ? parts[0] : { concat: parts }
}

const MARK = { meta: { key: 'mark' } }
const SIGNS = { or: '|', xor: '^', and: '&' }

function statement(it: Statement): Json {
  switch (it.kind) {
    case 'match': {
      const isOfFlags = it.left.length === 1 && it.left[0]?.kind === 'ct'
      return {
        match: {
          op: isOfFlags && it.operator === '==' ? 'in' : it.operator,
          left: selectors(it.left),
          right: operand(it.right),
        },
      }
    }
    case 'markMatch': {
      const length = Math.clz32(~it.mask)
      const isPrefix = it.mask === (length === 0 ? 0 : (0xffffffff << (32 - length)) >>> 0)
      const right = isPrefix ? (length === 32 ? it.value : { prefix: { addr: it.value, len: length } }) : it.value
      return { match: { op: it.operator, left: isPrefix ? MARK : { '&': [MARK, it.mask] }, right } }
    }
    case 'vmap': {
      const data = it.map.kind === 'named' ? `@${it.map.set}` : { set: it.map.elements.map(element) }
      return { vmap: { key: selectors(it.key), data } }
    }
    case 'reject': {
      const [type, expr] = (it.with ?? '').split(' ')
      return { reject: it.with === undefined ? null : type === 'tcp' ? { type: it.with } : { type, expr } }
    }
    case 'markSet': {
      const value = it.operation === 'set' ? it.value : { [SIGNS[it.operation]]: [MARK, it.value] }
      return { mangle: { key: MARK, value } }
    }
    case 'masquerade':
      return { masquerade: it.fullyRandom ? { flags: 'fully-random' } : null }
    case 'dnat': {
      const { family, to } = it
      if (to.kind === 'address') return { dnat: { family, addr: to.address, port: to.port } }
      return { dnat: { family, addr: { map: { key: selectors(to.key), data: { set: to.elements.map(element) } } } } }
    }
    case 'setUpdate': {
      const elem =
        it.timeout === undefined ? selectors(it.key) : { elem: { val: selectors(it.key), timeout: it.timeout / 1000 } }
      return { set: { op: it.operation, elem, set: `@${it.set}` } }
    }
    case 'counter':
      return { counter: { packets: it.packets, bytes: it.bytes } }
    case 'namedCounter':
      return { counter: it.name }
    case 'unknown':
    case 'unknownJson':
      throw new Error('not understood')
    default:
      return verdictOf(it)
  }
}

function operand(it: Operand): Json {
  if (it.kind === 'named') return `@${it.set}`
  if (it.kind === 'anonymous') return { set: it.keys.map(key) }
  const flags = it.value.split(',')
  return flags.length > 1 ? flags : key(it.value)
}
