import type { IpFamily } from '@kube-rules/types'
import { parseCidr } from '@kube-rules/types/internal/cidr'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseIptables } from '../../../analyzer/src/dataplane/iptables/parse/parse.js'
import { checkState } from '../../../analyzer/test/support/check-iptables.js'
import type { IptablesState } from '../../src/dataplane/iptables/ast.js'
import { printRestore } from '../../src/dataplane/iptables/print/print.js'
import { printSave } from '../../src/dataplane/iptables/print/print-save.js'
import { cases } from '../support/clusters.js'
import { compileCase, iptablesStates } from '../support/compiled.js'
import { runs } from '../support/runs.js'
import { sameState } from '../support/same-state.js'
import { withChainsOfKubelet } from '../support/subsystems.js'

function parse(text: string, family: IpFamily): IptablesState {
  const result = parseIptables(text, family)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.value
}

/** Adds the jumps that kube-proxy creates separately to the tables of a restore text. */
function withJumps(state: IptablesState, { tables }: IptablesState): IptablesState {
  const jumpsOf = (name: string) => tables.find((table) => table.name === name)?.jumps ?? []
  return { ...state, tables: state.tables.map((table) => ({ ...table, jumps: jumpsOf(table.name) })) }
}

describe('the restore format and the save format of a compiled state', () => {
  it('are accepted by the tools, and result in the same state with the same printed text', () => {
    fc.assert(
      fc.property(cases, (given) => {
        for (const state of iptablesStates(compileCase(given))) {
          expect(checkState(withChainsOfKubelet(state))).toEqual([])
          expectRestored(state)
          for (const backend of ['nft', 'legacy'] as const) expectSaved(state, backend)
        }
      }),
      { numRuns: runs(40) },
    )
  })
})

function expectRestored(state: IptablesState): void {
  const text = printRestore(state)
  const read = parse(text, state.family)
  expect(sameState(withJumps(read, state), state)).toBe(true)
  expect(printRestore(read)).toBe(withCanonicalRanges(text))
}

/**
 * Converts source ranges to normal form. Before 1.30, kube-proxy copies source ranges from the Service, and in these
 * tests some have capital letters or bits behind the prefix.
 */
function withCanonicalRanges(text: string): string {
  return text.replaceAll(/ -s ([0-9A-Fa-f:.]+\/\d+) /g, (all, range: string) => ` -s ${parseCidr(range)?.text ?? all} `)
}

/** Expects the rules of the state and the jumps to them in the output of iptables-save. */
function expectSaved(state: IptablesState, backend: 'nft' | 'legacy'): void {
  const text = printSave(state, { backend })
  const read = parse(text, state.family)
  expect(sameState(read, state)).toBe(true)
  // iptables-legacy lists its tables in a different order than it reads them.
  if (backend === 'nft') expect(printSave(read, { backend })).toBe(text)
}
