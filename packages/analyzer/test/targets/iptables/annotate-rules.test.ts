import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../../compiler/src/compilation/compile.js'
import type { IptablesState } from '../../../../compiler/src/dataplane/iptables/ast.js'
import { chainsOf, jumpTargetsOf } from '../../../../compiler/src/dataplane/iptables/chains.js'
import { getBlockRules } from '../../../../compiler/src/dataplane/iptables/lazy-block.js'
import { printRule } from '../../../../compiler/src/dataplane/iptables/print/print.js'
import { printSave } from '../../../../compiler/src/dataplane/iptables/print/print-save.js'
import { readState } from '../../../../compiler/test/dataplane/iptables/read-rule.js'
import { cases, optionsOfMode } from '../../../../compiler/test/support/clusters.js'
import { iptablesStates } from '../../../../compiler/test/support/compiled.js'
import { statePairs } from '../../../../compiler/test/support/iptables-states.js'
import { CORPUS_DUMPS, readDump } from '../../../../compiler/test/support/read-dump.js'
import { runs } from '../../../../compiler/test/support/runs.js'
import { serviceOfSize } from '../../../../compiler/test/support/service-of-size.js'
import { annotateRuleOwners } from '../../../src/targets/iptables/annotate-rules.js'

/** Returns every rule of a state with its owner, sorted. */
function ownedRules({ family, tables }: IptablesState): readonly string[] {
  return tables
    .flatMap(({ name, blocks }) =>
      blocks.flatMap((block) =>
        getBlockRules(block).map((rule) => `${name} ${block.owner} ${printRule(rule, 'save', family)}`),
      ),
    )
    .sort()
}

function ownedChains({ tables }: IptablesState): readonly string[] {
  return tables
    .flatMap(({ name, blocks }) =>
      blocks.flatMap(({ owner, chains }) => (owner === '' ? [] : chains.map((chain) => `${name} ${owner} ${chain}`))),
    )
    .sort()
}

function dumped(state: IptablesState): IptablesState {
  return readState(printSave(state, { backend: 'nft' }), state.family)
}

function expectSameChains(attributed: IptablesState, state: IptablesState): void {
  expect(attributed.tables.map(({ name }) => name)).toEqual(state.tables.map(({ name }) => name))
  for (const [index, table] of attributed.tables.entries()) {
    const original = state.tables[index]
    if (original === undefined) throw new Error('no such table')
    expect(table.jumps).toBe(original.jumps)
    expect(chainsOf(table)).toEqual(chainsOf(original))
    const declared = (blocks: typeof table.blocks) => blocks.flatMap(({ chains }) => chains).sort()
    expect(declared(table.blocks)).toEqual(declared(original.blocks))
  }
}

/**
 * Returns the KUBE-XLB chains to which no rule jumps. Up to 1.23, Services without external addresses have such chains.
 */
function unreachedChains({ tables }: IptablesState): readonly string[] {
  return tables.flatMap(({ blocks }) => {
    const reached = new Set(jumpTargetsOf(blocks.flatMap((block) => getBlockRules(block))))
    return blocks.flatMap(({ chains }) => chains.filter((chain) => /^KUBE-XLB-/.test(chain) && !reached.has(chain)))
  })
}

function expectOwnersOfBlocks(compiled: IptablesState): void {
  const state = dumped(compiled)
  const attributed = annotateRuleOwners(state)
  // The owner of rules in such a chain may be unknown.
  const unreached = unreachedChains(compiled)
  const isReached = (line: string) =>
    !unreached.some((chain) => line.endsWith(` ${chain}`) || line.includes(` -A ${chain} `))
  expect(ownedRules(attributed).filter(isReached)).toEqual(ownedRules(compiled).filter(isReached))
  expect(ownedChains(attributed).filter(isReached)).toEqual(ownedChains(compiled).filter(isReached))
  expectSameChains(attributed, state)
}

describe('a dump of a compiled state', () => {
  it('has the same owner for every rule as the compiled block', () => {
    fc.assert(
      fc.property(cases, ({ cluster, options: given }) => {
        const options = optionsOfMode(given, 'iptables')
        const result = compile(cluster, options)
        for (const state of iptablesStates(result)) expectOwnersOfBlocks(state)
      }),
      { numRuns: runs(30) },
    )
  })

  it('has the same owners as the compiled rules for a few service ports of many kinds', () => {
    fc.assert(
      fc.property(statePairs, ([state]) => expectOwnersOfBlocks(state)),
      { numRuns: runs(40) },
    )
  })

  it('has the same owners as the compiled rules in a large cluster with uncommented endpoints', () => {
    const states = iptablesStates(serviceOfSize(1001))
    expect(states).toHaveLength(1)
    for (const state of states) expectOwnersOfBlocks(state)
  })
})

/** Returns the owners of the rules of each chain, in a table with these lines. */
function attributed(lines: readonly string[]) {
  const chains = new Set(lines.map((line) => line.split(' ')[1]))
  const text = ['*nat', ...Array.from(chains, (chain) => `:${chain} - [0:0]`), ...lines, 'COMMIT', ''].join('\n')
  const { blocks } = annotateRuleOwners(readState(text)).tables[0] ?? { blocks: [] }
  return blocks.flatMap((block) => getBlockRules(block).map(({ chain }) => `${chain} ${block.owner}`))
}

describe('annotateRuleOwners', () => {
  it.each([
    'default/web:http cluster IP',
    'default/web:http external IP',
    'default/web:http loadbalancer IP',
    'default/web:http has no endpoints',
    'default/web:http has no local endpoints',
    'default/web:http health check node port',
    'default/web:http traffic not accepted by KUBE-FW-CG5I4G2RS3ZVWGLK',
    'default/web:http',
  ])('assigns the service port that the comment %j names', (comment) => {
    const line = `-A KUBE-SERVICES -p tcp -m comment --comment "${comment}" -m tcp --dport 80 -j ACCEPT`
    expect(attributed([line])).toEqual(['KUBE-SERVICES default/web:http/TCP'])
  })

  it.each([
    ['default/web: cluster IP', 'default/web/UDP'],
    ['default/web:', 'default/web/UDP'],
    ['a-b/c.d:e-f cluster IP', 'a-b/c.d:e-f/UDP'],
    ['kubernetes forwarding rules', ''],
    ['default/web:http cluster IP or so', ''],
    ['default cluster IP', ''],
    ['a b/c cluster IP', ''],
    ['/ cluster IP', ''],
  ])('for the comment %j assigns the owner %j', (comment, owner) => {
    const line = `-A KUBE-SERVICES -p 17 -m comment --comment "${comment}" -j ACCEPT`
    expect(attributed([line])).toEqual([`KUBE-SERVICES ${owner}`])
  })

  it('assigns the service port with the name in the comment if the rule has no protocol', () => {
    const named = '-A KUBE-SERVICES -p sctp -m comment --comment "a/b cluster IP" -j ACCEPT'
    const bare = '-A KUBE-NODEPORTS -m comment --comment "a/b" -j ACCEPT'
    expect(attributed([named, bare])).toEqual(['KUBE-SERVICES a/b/SCTP', 'KUBE-NODEPORTS a/b/SCTP'])
    expect(attributed([bare])).toEqual(['KUBE-NODEPORTS '])
    expect(attributed(['-A KUBE-NODEPORTS ! -p tcp -m comment --comment "a/b" -j ACCEPT'])).toEqual(['KUBE-NODEPORTS '])
  })

  it('assigns the service port of a health-check port even if the protocol differs', () => {
    const health = '-A KUBE-NODEPORTS -p tcp -m comment --comment "a/b health check node port" -j ACCEPT'
    const udp = '-A KUBE-SERVICES -p udp -m comment --comment "a/b cluster IP" -j ACCEPT'
    const tcp = '-A KUBE-SERVICES -p tcp -m comment --comment "a/b cluster IP" -j ACCEPT'
    expect(attributed([health])).toEqual(['KUBE-NODEPORTS a/b/TCP'])
    expect(attributed([health, udp])).toContain('KUBE-NODEPORTS a/b/UDP')
    expect(attributed([health, udp, tcp])).toContain('KUBE-NODEPORTS a/b/TCP')
  })

  it('assigns no owner in a chain of another program', () => {
    expect(attributed(['-A DOCKER -p tcp -m comment --comment "a/b cluster IP" -j ACCEPT'])).toEqual(['DOCKER '])
  })
})

describe('the owner of a chain', () => {
  const dispatch = '-A KUBE-SERVICES -p udp -m comment --comment "a/b cluster IP" -j KUBE-SVC-X'

  it('is the owner of its rules, whatever references the chain', () => {
    const lines = [dispatch, '-A KUBE-SVC-X -p tcp -m comment --comment "c/d cluster IP" -j KUBE-MARK-MASQ']
    expect(attributed(lines)).toEqual(['KUBE-SERVICES a/b/UDP', 'KUBE-SVC-X c/d/TCP'])
  })

  it('is the owner of a rule that references the chain, in any order', () => {
    const silent = '-A KUBE-SERVICES -j KUBE-SVC-X'
    for (const lines of [
      [silent, dispatch],
      [dispatch, silent],
    ]) {
      expect(attributed([...lines, '-A KUBE-SVC-X -j ACCEPT'])).toContain('KUBE-SVC-X a/b/UDP')
    }
  })

  it('has the protocol of the referencing rule', () => {
    const lines = [dispatch, '-A KUBE-SVC-X -m comment --comment "a/b -> 10.0.0.1:53" -j KUBE-SEP-Y']
    expect(attributed(lines)).toContain('KUBE-SVC-X a/b/UDP')
  })

  it('is the owner of the referencing chain if there are no comments, even through several chains', () => {
    const lines = [
      '-A KUBE-SEP-Y -j ACCEPT',
      '-A KUBE-SVC-X -j KUBE-SEP-Y',
      '-A KUBE-XLB-X -g KUBE-SVC-X',
      '-A KUBE-SERVICES -p tcp -m comment --comment "a/b loadbalancer IP" -j KUBE-XLB-X',
    ]
    const owners = attributed(lines)
    for (const chain of ['KUBE-SEP-Y', 'KUBE-SVC-X', 'KUBE-XLB-X', 'KUBE-SERVICES']) {
      expect(owners).toContain(`${chain} a/b/TCP`)
    }
  })

  it('is the owner of its rules if nothing references the chain', () => {
    const lines = ['-A KUBE-SEP-Y -j ACCEPT', '-A KUBE-SVC-X -p tcp -m comment --comment "a/b" -j KUBE-SEP-Y']
    expect(attributed(lines)).toEqual(['KUBE-SVC-X a/b/TCP', 'KUBE-SEP-Y a/b/TCP'].sort())
  })

  it('is unknown if neither rules nor references determine an owner', () => {
    const lines = ['-A KUBE-SVC-X -j KUBE-SEP-Y', '-A KUBE-SEP-Y -j KUBE-SVC-X']
    expect(attributed(lines)).toEqual(['KUBE-SVC-X ', 'KUBE-SEP-Y '])
    expect(attributed(['-A KUBE-SVC-X -m comment --comment "a/b" -j RETURN'])).toEqual(['KUBE-SVC-X '])
  })
})

describe('a dump of an old version', () => {
  const ownersIn = (file: string) => {
    const state = readDump(CORPUS_DUMPS.get(file) ?? '').IPv4.iptables
    if (state === undefined) throw new Error(`${file} holds nothing`)
    expectSameChains(annotateRuleOwners(state), state)
    return annotateRuleOwners(state).tables.flatMap(({ name, blocks }) =>
      blocks.flatMap((block) => getBlockRules(block).map(({ chain }) => `${name} ${chain} ${block.owner}`)),
    )
  }

  it('contains a colon in comments of unnamed ports in version 1.12', () => {
    const owners = ownersIn('kube-1.12-node-port-redis.save')
    const redis = owners.filter((line) => line.endsWith(' work/saythx-redis/TCP'))
    expect(new Set(redis)).toEqual(
      new Set([
        'nat KUBE-NODEPORTS work/saythx-redis/TCP',
        'nat KUBE-SERVICES work/saythx-redis/TCP',
        'nat KUBE-SVC-SMQNAAUIAENDDGYQ work/saythx-redis/TCP',
        'nat KUBE-SEP-QX7VDAS5KDY6V3EV work/saythx-redis/TCP',
      ]),
    )
    expect(owners).toContain('nat KUBE-SVC-TCOU7JCQXEZGVUNU kube-system/kube-dns:dns/UDP')
  })

  it('has owners for KUBE-XLB and KUBE-FW in version 1.20, but none for chains of other programs', () => {
    const owners = ownersIn('kube-1.20-docker-flannel.legacy.save')
    const of = (chain: string) => new Set(owners.filter((line) => line.includes(` ${chain}`)))
    expect(of('KUBE-XLB-CG5I4G2RS3ZVWGLK')).toEqual(new Set(['nat KUBE-XLB-CG5I4G2RS3ZVWGLK default/web:http/TCP']))
    expect(of('KUBE-FW-')).toEqual(new Set(['nat KUBE-FW-CG5I4G2RS3ZVWGLK default/web:http/TCP']))
    expect(of('KUBE-EXTERNAL-SERVICES')).toEqual(new Set(['filter KUBE-EXTERNAL-SERVICES default/empty:http/TCP']))
    expect([...of('DOCKER'), ...of('KUBE-FIREWALL')].every((line) => line.endsWith(' '))).toBe(true)
  })
})
