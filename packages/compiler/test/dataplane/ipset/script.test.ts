import { describe, expect, it } from 'vitest'
import type { Entry, IpSet } from '../../../src/dataplane/ipset/ast.js'
import { resourcesOf } from '../../../src/dataplane/ipset/resources.js'
import { toIpsetCommands } from '../../../src/dataplane/ipset/script.js'
import type { CommandPhase } from '../../../src/dataplane/netfilter/tool-command.js'
import { diffResources } from '../../../src/patch/diff-resources.js'
import { type HeldSets, restoreSets } from '../../support/ipset-interpreter.js'
import { hashSet, portBitmap } from './states.js'

const A: Entry = { kind: 'ip,port', address: '10.0.0.1', protocol: 'tcp', port: 80 }
const B: Entry = { ...A, address: '10.0.0.2' }
const C: Entry = { ...A, address: '10.0.0.3' }

/** The lines of each phase that is not empty. */
type Script = Partial<Record<CommandPhase, readonly string[]>>

function scriptBetween(before: readonly IpSet[], after: readonly IpSet[]): Script {
  const { changes } = diffResources(resourcesOf({ sets: before }), resourcesOf({ sets: after }))
  const script = toIpsetCommands(changes)
  expect(script.map(({ phase }) => phase)).toEqual(
    (['provide', 'switch', 'withdraw'] as const).filter((phase) => script.some((each) => each.phase === phase)),
  )
  expect(script.reduce((sets, { command }) => restoreSets(sets, command.input), loaded(before))).toEqual(loaded(after))
  return Object.fromEntries(script.map(({ phase, command }) => [phase, command.input.split('\n').slice(0, -1)]))
}

/** Loads sets for the first time, in a single phase. */
function loaded(sets: readonly IpSet[]): HeldSets {
  const script = toIpsetCommands(diffResources(new Map(), resourcesOf({ sets })).changes)
  expect(script.map(({ phase }) => phase)).toEqual(sets.length === 0 ? [] : ['provide'])
  return script.reduce((held: HeldSets, { command }) => restoreSets(held, command.input), new Map())
}

describe('toIpsetCommands', () => {
  it('creates sets before it adds entries, and deletes entries before it destroys sets', () => {
    const before = [hashSet('hash:ip,port', 'OLD', [A]), hashSet('hash:ip,port', 'KEPT', [A, B])]
    const after = [hashSet('hash:ip,port', 'KEPT', [B, C]), portBitmap('NEW', [80])]
    expect(scriptBetween(before, after)).toEqual({
      provide: ['create NEW bitmap:port range 0-65535', 'add KEPT 10.0.0.3,tcp:80', 'add NEW 80'],
      withdraw: ['del KEPT 10.0.0.1,tcp:80', 'destroy OLD'],
    })
  })

  it('returns one ipset restore -exist command, or no command if nothing changes', () => {
    const sets = [hashSet('hash:ip,port', 'S', [A])]
    const script = toIpsetCommands(diffResources(new Map(), resourcesOf({ sets })).changes)
    expect(script.map(({ command: { tool, args } }) => [tool, ...args])).toEqual([['ipset', 'restore', '-exist']])
    expect(scriptBetween(sets, sets)).toEqual({})
  })

  it('adds an entry again if its options change', () => {
    const commented: Entry = { ...A, options: ['comment', 'web'] }
    const options = { options: ['comment'] }
    const before = [hashSet('hash:ip,port', 'S', [A], options)]
    expect(scriptBetween(before, [hashSet('hash:ip,port', 'S', [commented], options)])).toEqual({
      provide: ['add S 10.0.0.1,tcp:80 comment "web"'],
    })
  })

  it('fills a temporary set and swaps it if the size of a set changes', () => {
    const before = [hashSet('hash:ip,port', 'S', [A, B]), hashSet('hash:ip,port', 'T', [A])]
    const after = [hashSet('hash:ip,port', 'S', [B, C], { maxelem: 9 }), hashSet('hash:ip,port', 'T', [A, C])]
    expect(scriptBetween(before, after)).toEqual({
      provide: [
        'add T 10.0.0.3,tcp:80',
        'destroy kube-rules-swap',
        'create kube-rules-swap hash:ip,port family inet hashsize 1024 maxelem 9',
        'add kube-rules-swap 10.0.0.3,tcp:80',
        'add kube-rules-swap 10.0.0.2,tcp:80',
        'swap kube-rules-swap S',
        'destroy kube-rules-swap',
      ],
    })
  })

  it.each<[string, IpSet, IpSet, readonly string[]]>([
    [
      'range of ports',
      portBitmap('S', [80]),
      portBitmap('S', [80], { lastPort: 100 }),
      ['create kube-rules-swap bitmap:port range 0-100', 'add kube-rules-swap 80'],
    ],
    [
      'size that is stored as words',
      { type: 'unknown', name: 'S', words: ['hash:net', 'maxelem', '5'], entries: [] },
      { type: 'unknown', name: 'S', words: ['hash:net', 'maxelem', '6'], entries: [] },
      ['create kube-rules-swap hash:net maxelem 6'],
    ],
  ])('swaps a set if it gets another %s', (_, before, after, filled) => {
    expect(scriptBetween([before], [after]).provide).toEqual([
      'destroy kube-rules-swap',
      ...filled,
      'swap kube-rules-swap S',
      'destroy kube-rules-swap',
    ])
  })

  it.each<[string, IpSet, IpSet, readonly string[]]>([
    [
      'type',
      hashSet('hash:ip,port', 'S', [A]),
      portBitmap('S', [80]),
      ['destroy S', 'create S bitmap:port range 0-65535', 'add S 80'],
    ],
    [
      'family',
      hashSet('hash:ip', 'S', []),
      hashSet('hash:ip', 'S', [], { family: 'inet6' }),
      ['destroy S', 'create S hash:ip family inet6 hashsize 1024 maxelem 65536'],
    ],
    [
      'type that is stored as words',
      { type: 'unknown', name: 'S', words: ['hash:net'], entries: [] },
      { type: 'unknown', name: 'S', words: ['hash:mac'], entries: [] },
      ['destroy S', 'create S hash:mac'],
    ],
  ])(
    'destroys and creates a set if it gets another %s, because the kernel cannot swap it',
    (_, before, after, lines) => {
      expect(scriptBetween([before], [after])).toEqual({ provide: lines })
    },
  )
})
