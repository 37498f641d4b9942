import { describe, expect, it } from 'vitest'
import { isFullyDumped } from '../../../../analyzer/src/dataplane/fully-dumped.js'
import { detectIptablesDump, isCommit } from '../../../../analyzer/src/dataplane/iptables/parse/read.js'
import { toRuleReference } from '../../../../analyzer/src/view/references.js'
import { step } from '../../../../analyzer/test/program/programs.js'
import type { IptablesState, TableName } from '../../../src/dataplane/iptables/ast.js'
import {
  assembleIptables,
  chainReferencesOf,
  isChainId,
  parseChainId,
} from '../../../src/dataplane/iptables/resources.js'
import { createCoverageQueries } from '../../../src/dataplane/netfilter/coverage.js'
import { SUBSYSTEM_RESOURCES } from '../../../src/dataplane/resource-conversions.js'
import { refusalsIn } from '../../support/subsystems.js'
import { readRule } from './read-rule.js'

const stateWith = (...names: readonly TableName[]): IptablesState => ({
  family: 'IPv4',
  tables: names.map((name) => ({ name, jumps: [], blocks: [] })),
})

describe('the iptables part of a dump', () => {
  it('starts at the line of a table and ends at the COMMIT of this table', () => {
    expect(['*nat', '  *nat', 'a *nat', ':A -', '-A A'].map((line) => detectIptablesDump(line))).toEqual([
      isCommit,
      isCommit,
      undefined,
      undefined,
      undefined,
    ])
  })

  it('provides a location for each chain of a trace step', () => {
    const steps = [step(''), { ...step(''), table: 'iptables raw' }, { ...step(''), table: 'ipvs' }]
    expect(steps.map((each) => toRuleReference(each).location)).toEqual(['nat/T', 'raw/T', ''])
  })

  it.each<[readonly string[], IptablesState | undefined, boolean]>([
    [['iptables'], undefined, true],
    [[], undefined, false],
    [[], stateWith('raw', 'mangle', 'nat', 'filter', 'security'), true],
    [[], stateWith('raw', 'mangle', 'nat', 'filter'), false],
    [['security'], stateWith('raw', 'mangle', 'nat', 'filter'), true],
  ])('contains all tables if the complete parts are %j and the state is %j: %s', (complete, state, isAll) => {
    expect(isFullyDumped('iptables', { family: 'IPv4', iptables: state }, createCoverageQueries({ complete }))).toBe(
      isAll,
    )
  })
})

describe('the ids of iptables chains', () => {
  it('consist of a table and a name, which may contain slashes', () => {
    expect(parseChainId('nat/KUBE/A')).toEqual({ table: 'nat', chain: 'KUBE/A' })
    expect(['nat/A', 'security/A', 'nat', 'natA', 'a nat/A', 'ipset A'].map(isChainId)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ])
    expect(SUBSYSTEM_RESOURCES.iptables.owns('nat/A')).toBe(true)
  })

  it('are sorted in the references of rules, and listed once per use', () => {
    const rules = ['-j B', '-g A', '-m set --match-set S dst -m set --match-set R src -j A', '-j ACCEPT'].map((words) =>
      readRule(words),
    )
    expect(chainReferencesOf('raw', rules)).toEqual(['ipset R', 'ipset S', 'raw/A', 'raw/A', 'raw/B'])
  })
})

describe('an iptables state that is assembled from resources', () => {
  const [a, b] = ['-j ACCEPT', '-j DROP'].map((words) => readRule(words))

  it('has each table once', () => {
    const resources = [
      { id: 'nat/T', refs: [], value: [a] },
      { id: 'filter/INPUT', refs: [], value: { jumps: [b] } },
      { id: 'nat/U', refs: [], value: [b] },
      { id: 'nat/OUTPUT', refs: [], value: { jumps: [a] } },
    ]
    expect(assembleIptables(new Map(resources.map((each) => [each.id, each])), 'IPv6')).toEqual({
      family: 'IPv6',
      tables: [
        { name: 'nat', jumps: [a], blocks: [{ owner: '', chains: ['T', 'U'], rules: [a, b] }] },
        { name: 'filter', jumps: [b], blocks: [{ owner: '', chains: [], rules: [] }] },
      ],
    })
  })

  it('is rejected if a table is unknown', () => {
    const resource = { id: 'nut/A', refs: [], value: [] }
    expect(() => assembleIptables(new Map([['nut/A', resource]]), 'IPv4')).toThrow('"nut/A" does not identify a table')
  })
})

it('a problem of an iptables state is reported as an error of the chain', () => {
  const state: IptablesState = {
    family: 'IPv4',
    tables: [{ name: 'nat', jumps: [], blocks: [{ owner: '', chains: ['OUTPUT'], rules: [] }] }],
  }
  expect(refusalsIn('iptables', { family: 'IPv4', iptables: state })).toEqual([
    {
      severity: 'error',
      code: 'structure',
      object: { kind: 'chain', name: 'nat/OUTPUT' },
      message: 'chain OUTPUT of table nat is a built-in chain',
    },
  ])
})
