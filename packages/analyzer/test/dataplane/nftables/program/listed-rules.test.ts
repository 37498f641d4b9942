import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readRule } from '../../../../src/dataplane/nftables/program/read-rule.js'
import { kernelPacket } from '../../../program/programs.js'
import { baseChainsOf, nftablesState } from './lowered-tables.js'

/** Rules as nft 1.0.6 lists them, with the JSON that the same command prints with `-j`. */
const RULES: readonly { readonly text: string; readonly expr: readonly unknown[] }[] = JSON.parse(
  readFileSync(new URL('listed-rules.json', import.meta.url), 'utf8'),
)

function listing(rule: string): string {
  return `table inet t {\n\tchain c {\n\t\ttype filter hook prerouting priority filter; policy accept;\n\t\t${rule}\n\t}\n}\n`
}

function json(expr: readonly unknown[]): string {
  const chain = { family: 'inet', table: 't', name: 'c', type: 'filter', hook: 'prerouting', prio: 0, policy: 'accept' }
  const rule = { family: 'inet', table: 't', chain: 'c', expr }
  return `${JSON.stringify({ nftables: [{ table: { family: 'inet', name: 't' } }, { chain }, { rule }] })}\n`
}

/** Formats the instructions of the only chain of a text for both families. */
function instructionsOf(text: string): readonly string[] {
  return (['IPv4', 'IPv6'] as const).map((family) => {
    const instructions = baseChainsOf(text, family)[0]?.chain.instructionsFor(kernelPacket({ family }), true)
    return JSON.stringify(
      instructions?.map(({ literals, effects }) => ({ literals, effects })),
      (key, value) => {
        if (key === 'reason' || key === 'condition') return undefined
        if (key === 'elements') return value()
        if (key === 'value' && typeof value === 'object') return undefined
        if (value instanceof Map) return [...value.keys()]
        return typeof value === 'bigint' ? String(value) : value
      },
      1,
    )
  })
}

describe('a rule that nft lists', () => {
  it.each(RULES)('has the same meaning in JSON: $text', ({ text, expr }) => {
    expect(instructionsOf(json(expr))).toEqual(instructionsOf(listing(text)))
  })

  it('is read completely', () => {
    const rules = RULES.flatMap(({ text }) => nftablesState(listing(text)).tables[0]?.chains[0]?.rules ?? [])
    const unread = rules.flatMap(readRule).filter(({ kind }) => kind === 'unread')
    expect(rules).toHaveLength(RULES.length)
    expect(unread).toEqual([])
  })
})
