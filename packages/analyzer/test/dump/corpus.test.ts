import { IP_FAMILIES } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { printSave as printIpset } from '../../../compiler/src/dataplane/ipset/print.js'
import type { Rule, Table } from '../../../compiler/src/dataplane/iptables/ast.js'
import { getBlockRules } from '../../../compiler/src/dataplane/iptables/lazy-block.js'
import { printSave } from '../../../compiler/src/dataplane/iptables/print/print-save.js'
import { printSave as printIpvs } from '../../../compiler/src/dataplane/ipvs/print.js'
import { CORPUS_DUMPS, readDump } from '../../../compiler/test/support/read-dump.js'
import { sameState } from '../../../compiler/test/support/same-state.js'
import { canonicalizeState } from '../support/canonical-state.js'

/** Returns the lines of the tables in a dump, without counters and comments. */
function tableLines(text: string): readonly string[] {
  const tables = text.match(/^\*[\s\S]*?^COMMIT$/gm) ?? []
  return tables.flatMap((table) =>
    table.split('\n').map((line) => line.replace(/^(:.*) \[\d+:\d+\]$/, '$1 [0:0]').replace(/^\[\d+:\d+\] /, '')),
  )
}

function linesStarting(text: string, start: RegExp): readonly string[] {
  const outside = text.replace(/^\*[\s\S]*?^COMMIT$/gm, '')
  return outside.split('\n').filter((line) => start.test(line))
}

/** Returns the rules of a table that contain unknown words. */
function unknownRules({ jumps, blocks }: Table): readonly Rule[] {
  return [...jumps, ...blocks.flatMap(getBlockRules)].filter(
    ({ matches, target }) => target?.kind === 'unknown' || matches.some(({ kind }) => kind === 'unknown'),
  )
}

describe.each([...CORPUS_DUMPS])('the dump %s', (file, text) => {
  const dump = readDump(text)
  const states = IP_FAMILIES.flatMap((family) => dump[family].iptables ?? [])

  it('is marked as hand-written', () => {
    expect(text).toMatch(/^# Hand-made: \S/)
  })

  it('contains tables that stay the same after they are parsed and printed', () => {
    const printed = states.flatMap(({ family, tables }) =>
      tables.flatMap((table) =>
        printSave({ family, tables: [table] }, { backend: 'legacy' })
          .trimEnd()
          .split('\n'),
      ),
    )
    expect(printed).toEqual(tableLines(text))
  })

  it('contains sets and virtual servers that stay the same after they are parsed and printed', () => {
    const sets = linesStarting(text, /^(?:create|add) /).map((line) => line.replace(/ (?:bucketsize|initval) \S+/g, ''))
    const { ipset, ipvs } = dump.IPv4
    expect(ipset === undefined ? [] : printIpset(ipset).trimEnd().split('\n')).toEqual(sets)
    const servers = linesStarting(text, /^-[Aa] /)
    expect(ipvs === undefined ? [] : printIpvs(ipvs).trimEnd().split('\n')).toEqual(servers)
  })

  it('has the same canonical state after it is printed and parsed', () => {
    for (const state of states) {
      const read = readDump(printSave(state, { backend: 'nft' }), { family: state.family })[state.family].iptables
      expect(read === undefined || sameState(read, state)).toBe(true)
      expect(read === undefined ? undefined : canonicalizeState(read)).toEqual(read && canonicalizeState(state))
    }
  })

  it('contains no unknown options in rules of kube-proxy', () => {
    const ours = states
      .flatMap(({ tables }) => tables.flatMap(unknownRules))
      .filter(({ chain }) => /^KUBE-/.test(chain))
    expect(file.startsWith('kube') ? ours : []).toEqual([])
  })
})

it('the corpus contains rules with unknown options', () => {
  const dump = readDump(CORPUS_DUMPS.get('ufw.legacy.save') ?? '')
  const tables = IP_FAMILIES.flatMap((family) => dump[family].iptables?.tables ?? [])
  expect(tables.flatMap(unknownRules).length).toBe(10)
})
