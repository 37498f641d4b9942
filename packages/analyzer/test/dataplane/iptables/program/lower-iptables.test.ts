import { describe, expect, it } from 'vitest'
import { createCoverageQueries, type StateCoverage } from '../../../../../compiler/src/dataplane/netfilter/coverage.js'
import type { Hook } from '../../../../../compiler/src/dataplane/netfilter/hooks.js'
import { readState } from '../../../../../compiler/test/dataplane/iptables/read-rule.js'
import { lowerIptables } from '../../../../src/dataplane/iptables/program/lower-iptables.js'
import type { Chain } from '../../../../src/program/program.js'
import type { StateContext } from '../../../../src/program/state-context.js'
import { kernelPacket, NO_SETS } from './packets.js'

function lower(text: string, context: Partial<StateContext> = {}) {
  return lowerIptables(readState(text), { ...NO_SETS, ...context })
}

function chainAt(hook: Hook, text: string, context: Partial<StateContext> = {}): Chain {
  const base = lower(text, context).find((each) => each.hook === hook)
  if (base === undefined) throw new Error(`no chain at ${hook}`)
  return base.chain
}

/** Returns the chain that the only instruction of a chain calls. */
function calledBy({ instructionsFor }: Chain): Chain | 'ignored' | undefined {
  for (const effect of instructionsFor(kernelPacket(), false)[0]?.effects ?? []) {
    if (effect.kind === 'jump' || effect.kind === 'goto') return effect.chain.resolve()
  }
  throw new Error('no chain is called')
}

const conditionsOf = (chain: Chain) => chain.instructionsFor(kernelPacket(), false).map(({ condition }) => condition())

describe('the base chains of a table', () => {
  const hooksOf = (text: string) =>
    lower(text).map(({ hook, priority, translates }) => `${hook} ${priority} ${translates}`)

  it('have the priorities of its built-in chains', () => {
    expect(hooksOf('*filter\nCOMMIT\n')).toEqual(['INPUT 0 false', 'FORWARD 0 false', 'OUTPUT 0 false'])
    expect(hooksOf('*raw\nCOMMIT\n')).toEqual(['PREROUTING -300 false', 'OUTPUT -300 false'])
  })

  it('translate in the table nat', () => {
    expect(hooksOf('*nat\nCOMMIT\n')).toEqual([
      'PREROUTING -100 true',
      'INPUT 100 true',
      'OUTPUT -100 true',
      'POSTROUTING 100 true',
    ])
  })

  it('contain the rules in order', () => {
    const text = '*filter\n-A INPUT -p tcp -j DROP\n-A FORWARD -j DROP\n-A INPUT -j ACCEPT\nCOMMIT\n'
    expect(conditionsOf(chainAt('INPUT', text))).toEqual([
      'iptables filter -A INPUT -p tcp -j DROP matches',
      'iptables filter -A INPUT -j ACCEPT matches',
    ])
    expect(conditionsOf(chainAt('OUTPUT', text))).toEqual([])
  })

  it('find the rules of a destination among many', () => {
    const rule = (index: number) => `-A INPUT -d 10.96.0.${index}/32 -p tcp -m tcp --dport 80 -j DROP\n`
    const others = '-A INPUT ! -d 10.96.0.1/32 -j ACCEPT\n-A INPUT -d 10.96.0.0/16 -j ACCEPT\n'
    const text = `*filter\n${Array.from({ length: 20 }, (_, index) => rule(index)).join('')}${others}COMMIT\n`
    const reached = (destinationPort: number) =>
      chainAt('INPUT', text)
        .instructionsFor(kernelPacket({ destinationPort }), false)
        .map(({ condition }) => condition().split(' ').slice(4, 6).join(' '))
    expect(reached(80)).toEqual(['-d 10.96.0.1/32', '! -d', '-d 10.96.0.0/16'])
    expect(reached(81)).toEqual(['! -d', '-d 10.96.0.0/16'])
  })

  it('drop at their end if the policy is DROP', () => {
    const [input, forward] = lower('*filter\n:INPUT DROP [0:0]\n:FORWARD ACCEPT [0:0]\nCOMMIT\n')
    const [step, drop] = input?.policy ?? []
    expect(step?.kind === 'step' && step.step('INPUT')).toEqual({
      hook: 'INPUT',
      table: 'iptables filter',
      chain: 'INPUT',
      text: 'policy DROP',
      target: 'DROP',
      jumpsTo: '',
      comment: 'policy',
      servicePort: '',
    })
    expect(drop).toEqual({ kind: 'drop' })
    expect(forward?.policy).toBeUndefined()
  })
})

describe('a called chain', () => {
  const text = '*filter\n:A - [0:0]\n-A INPUT -j A\n-A A -j DROP\nCOMMIT\n'

  it('has its name and its rules', () => {
    const called = calledBy(chainAt('INPUT', text))
    if (typeof called !== 'object') throw new Error('no chain')
    expect([called.name, conditionsOf(called)]).toEqual(['A', ['iptables filter -A A -j DROP matches']])
  })

  it('is the same object for every caller', () => {
    const chain = chainAt('INPUT', text)
    expect(calledBy(chain)).toBe(calledBy(chain))
  })

  it('is lowered when a packet enters it', () => {
    const lookups: string[] = []
    const lookUpSet: StateContext['lookUpSet'] = (name) => {
      lookups.push(name)
      return { kind: 'unknown' }
    }
    const sets = '*filter\n:A - [0:0]\n-A INPUT -j A\n-A A -m set --match-set S src -j DROP\nCOMMIT\n'
    const called = calledBy(chainAt('INPUT', sets, { lookUpSet }))
    expect(lookups).toEqual([])
    if (typeof called === 'object') called.instructionsFor(kernelPacket(), false)
    if (typeof called === 'object') called.instructionsFor(kernelPacket(), false)
    expect(lookups).toEqual(['S'])
  })

  const toGone = '*filter\n:A - [0:0]\n-A INPUT -j A\n-A A -g GONE\nCOMMIT\n'
  const goneBy = (context: Partial<StateContext>) => {
    const called = calledBy(chainAt('INPUT', toGone, context))
    return typeof called === 'object' ? calledBy(called) : 'no chain A'
  }

  it('does not exist if no line declares it', () => {
    expect(goneBy({})).toBeUndefined()
  })

  it('is ignored if it belongs to another program', () => {
    expect(goneBy({ isLeftOut: (id) => id === 'filter/GONE' })).toBe('ignored')
    expect(calledBy(chainAt('INPUT', text, { isLeftOut: () => true }))).toMatchObject({ name: 'A' })
  })
})

describe('a chain of a partial state', () => {
  const text = '*filter\n:A - [0:0]\n:B - [0:0]\n-A INPUT -j A\n-A A -j DROP\n-A OUTPUT -g C\nCOMMIT\n'
  const missingAt = (hook: Hook, known: StateCoverage, isOwned?: boolean) => {
    const coverage = { ...createCoverageQueries(known), ...(isOwned !== undefined && { isOwned: () => isOwned }) }
    const base = chainAt(hook, text, { coverage, isLeftOut: () => true })
    const called = hook === 'FORWARD' ? undefined : calledBy(base)
    return [base.missing, typeof called === 'object' ? called.missing : called]
  }
  const some = (reason: string) => ({ what: 'some', reason })

  it('is complete if the dump shows its table', () => {
    expect(missingAt('INPUT', { complete: ['filter'] })).toEqual([undefined, undefined])
  })

  it('has some missing rules if the dump shows others', () => {
    expect(missingAt('INPUT', { complete: [] })).toEqual([
      some('not all of chain filter/INPUT is in the dump'),
      some('not all of chain filter/A is in the dump'),
    ])
  })

  it('may have no rules if it is built-in, or of another program', () => {
    expect(missingAt('FORWARD', { complete: [] })[0]).toEqual(some('chain filter/FORWARD is missing in the dump'))
    expect(missingAt('OUTPUT', { complete: [] }, false)[1]).toEqual(some('chain filter/C is missing in the dump'))
  })

  it('has an unknown effect if the dump shows nothing of it', () => {
    expect(missingAt('OUTPUT', { complete: [] })[1]).toEqual({
      what: 'all',
      reason: 'chain filter/C is missing in the dump',
    })
  })

  it('has some missing matches if its listing is truncated', () => {
    expect(missingAt('INPUT', { complete: ['filter'], truncated: ['filter/A'] })).toEqual([
      undefined,
      some('the listing of chain filter/A does not show all matches of its rules'),
    ])
  })
})
