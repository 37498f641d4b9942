import { describe, expect, it } from 'vitest'
import type { Match, Rule } from '../../../../src/dataplane/iptables/ast.js'
import { printRestore, printRule } from '../../../../src/dataplane/iptables/print/print.js'
import { RESTORE_TEXT, WORKED_EXAMPLE } from '../worked-example.js'

function withComment(text: string): Rule {
  return { chain: 'T', matches: [{ kind: 'comment', text }] }
}

describe('printRestore', () => {
  it('prints the same iptables-restore input as kube-proxy', () => {
    expect(printRestore(WORKED_EXAMPLE)).toBe(RESTORE_TEXT)
  })

  it('prints no text if there are no tables, and prints a table without rules', () => {
    expect(printRestore({ family: 'IPv6', tables: [] })).toBe('')
    expect(printRestore({ family: 'IPv6', tables: [{ name: 'filter', jumps: [], blocks: [] }] })).toBe(
      '*filter\nCOMMIT\n',
    )
  })

  it('prints the rules of a large block in order', () => {
    const rules = Array.from({ length: 2000 }, (_, index) => withComment(String(index)))
    const text = printRestore({
      family: 'IPv4',
      tables: [{ name: 'nat', jumps: [], blocks: [{ owner: '', chains: ['T'], rules }] }],
    })
    const lines = rules.map((_, index) => `-A T -m comment --comment ${index}`)
    expect(text).toBe(['*nat', ':T - [0:0]', ...lines, 'COMMIT', ''].join('\n'))
  })
})

describe('a comment in the restore format', () => {
  it.each([
    ['web', 'web', 'web'],
    ['default/web:http', 'default/web:http', '"default/web:http"'],
    ['two words', '"two words"', '"two words"'],
    ['', '""', '""'],
    ['say "hi"', '"say \\"hi\\""', '"say \\"hi\\""'],
    ['"', '"\\""', '"\\""'],
    ["it's", "it's", '"it\\\'s"'],
    ["it's so", '"it\'s so"', '"it\\\'s so"'],
    ['back\\slash', 'back\\slash', '"back\\\\slash"'],
    ['back \\slash', '"back \\\\slash"', '"back \\\\slash"'],
    ['tab\tx', '"tab\tx"', '"tab\tx"'],
    ['ünï', 'ünï', '"ünï"'],
  ])('gets quotes only if they are necessary: %s', (text, restore, save) => {
    expect(printRule(withComment(text), 'restore', 'IPv4')).toBe(`-A T -m comment --comment ${restore}`)
    expect(printRule(withComment(text), 'save', 'IPv4')).toBe(`-A T -m comment --comment ${save}`)
  })

  it.each(['a\nb', 'a b\n', 'a\rb', '\0', 'a\u007f', '\u001b[0m'])('is rejected if it is %j', (text) => {
    expect(() => printRule(withComment(text), 'restore', 'IPv4')).toThrow('This is a bug in kube-rules')
    expect(() => printRule(withComment(text), 'save', 'IPv4')).toThrow('This is a bug in kube-rules')
  })
})

describe('printRule', () => {
  const hostile = 'x -j ACCEPT'
  const matches: readonly Match[] = [
    { kind: 'source', address: hostile, negated: false },
    { kind: 'destination', address: '', negated: false },
    { kind: 'inInterface', name: '"eth0', negated: false },
    { kind: 'outInterface', name: 'eth\n0', negated: false },
    { kind: 'protocol', protocol: hostile, negated: false },
    { kind: 'transport', protocol: hostile },
    { kind: 'conntrack', states: ['NEW', hostile], negated: false },
    { kind: 'addrtype', side: 'source', type: hostile, negated: false },
    { kind: 'statistic', probability: hostile, negated: false },
    { kind: 'recent', name: hostile, action: 'set', reap: false, negated: false },
    { kind: 'nfacct', name: hostile },
    { kind: 'set', name: hostile, directions: ['dst'], negated: false },
    { kind: 'set', name: 'S', directions: [], negated: false },
    { kind: 'ipvs', address: hostile, protocol: 'tcp', port: 1 },
    { kind: 'ipvs', address: '10.0.0.1', protocol: hostile, port: 1 },
    { kind: 'unknown', words: ['-m', hostile] },
    { kind: 'unknown', words: ['"a" "b"'] },
    { kind: 'unknown', words: ['"a\nb"'] },
    { kind: 'unknown', words: ['"open'] },
  ]
  it.each(matches)('rejects text with several words in the match $kind', (match) => {
    expect(() => printRule({ chain: 'T', matches: [match] }, 'restore', 'IPv4')).toThrow('bug in kube-rules')
  })

  it.each([
    { kind: 'jump', chain: hostile },
    { kind: 'goto', chain: hostile },
    { kind: 'reject', with: hostile },
    { kind: 'dnat', destination: hostile },
    { kind: 'unknown', words: ['-j', hostile] },
  ] as const)('rejects text with several words in the target $kind', (target) => {
    expect(() => printRule({ chain: 'T', matches: [], target }, 'restore', 'IPv4')).toThrow('bug in kube-rules')
  })

  it('rejects text with several words as a chain name', () => {
    expect(() => printRule({ chain: hostile, matches: [] }, 'restore', 'IPv4')).toThrow('bug in kube-rules')
    const block = { owner: '', chains: [hostile], rules: [] }
    const table = { name: 'nat', jumps: [], blocks: [block] } as const
    expect(() => printRestore({ family: 'IPv4', tables: [table] })).toThrow('bug in kube-rules')
  })
})

it('prints a full mask in the restore format for a mark target without a mask', () => {
  const target = { kind: 'mark', operation: 'set-xmark', value: 1 } as const
  expect(printRule({ chain: 'T', matches: [], target }, 'restore', 'IPv4')).toBe(
    '-A T -j MARK --set-xmark 0x00000001/0xffffffff',
  )
  expect(printRule({ chain: 'T', matches: [], target }, 'save', 'IPv4')).toBe('-A T -j MARK --set-xmark 0x1/0xffffffff')
})
