import type { IpFamily } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { IptablesState } from '../../src/dataplane/iptables/ast.js'
import { checkState } from '../../src/dataplane/iptables/check.js'
import { parseIptables } from '../../src/dataplane/iptables/parse.js'
import { printRestore } from '../../src/dataplane/iptables/print.js'
import { printSave } from '../../src/dataplane/iptables/print-save.js'
import { cases } from '../support/clusters.js'
import { compileCase, iptablesStates } from '../support/renderings.js'
import { sameState } from '../support/same-state.js'

function parse(text: string, family: IpFamily): IptablesState {
  const result = parseIptables(text, family)
  if (!result.ok) throw new Error(JSON.stringify(result.errors))
  return result.state
}

/** The tables that a restore text describes, with the jumps that kube-proxy makes apart from it. */
function withJumps(state: IptablesState, { tables }: IptablesState): IptablesState {
  const jumpsOf = (name: string) => tables.find((table) => table.name === name)?.jumps ?? []
  return { ...state, tables: state.tables.map((table) => ({ ...table, jumps: jumpsOf(table.name) })) }
}

function forEveryState(check: (state: IptablesState) => void): void {
  fc.assert(fc.property(cases, (given) => iptablesStates(compileCase(given)).forEach(check)))
}

describe('the two spellings', () => {
  it('restore, read back, is the compiled state', () => {
    forEveryState((state) => {
      expect(sameState(withJumps(parse(printRestore(state), state.family), state), state)).toBe(true)
    })
  })

  it.each(['nft', 'legacy'] as const)('save of %s, read back, is the compiled state, jumps included', (backend) => {
    forEveryState((state) => {
      expect(sameState(parse(printSave(state, { backend }), state.family), state)).toBe(true)
    })
  })

  it('save, read back and saved, is the same text', () => {
    forEveryState((state) => {
      const text = printSave(state, { backend: 'nft' })
      expect(printSave(parse(text, state.family), { backend: 'nft' })).toBe(text)
    })
  })

  it('restore, read back and restored, has the same lines', () => {
    forEveryState((state) => {
      const text = printRestore(state)
      expect(printRestore(parse(text, state.family))).toBe(text)
    })
  })

  it('is of a state that the tools accept', () => {
    forEveryState((state) => expect(checkState(state)).toEqual([]))
  })
})
