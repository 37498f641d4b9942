import { describe, expect, it } from 'vitest'
import type { Rule } from '../../../../../compiler/src/dataplane/iptables/ast.js'
import { printRule } from '../../../../../compiler/src/dataplane/iptables/print/print.js'
import { readRule } from '../../../../../compiler/test/dataplane/iptables/read-rule.js'
import { parseIptables } from '../../../../src/dataplane/iptables/parse/parse.js'

function words(...texts: readonly string[]): Rule['matches'] {
  return [{ kind: 'unknown', words: texts }]
}

describe('an option with an invalid or omitted value', () => {
  it.each([
    ['-m recent --rcheck --seconds 0', words('-m', 'recent', '--rcheck', '--seconds', '0')],
    ['-m recent --set --mask 255.255.0.0', words('-m', 'recent', '--set', '--mask', '255.255.0.0')],
    ['-m recent --set --rcheck', words('-m', 'recent', '--set', '--rcheck')],
    ['-m recent --update', words('-m', 'recent', '--update')],
  ])('stays unchanged in the rule %s', (text, matches) => {
    expect(readRule(text)).toEqual({ chain: 'T', matches })
    expect(printRule(readRule(text), 'restore', 'IPv4')).toBe(`-A T ${text}`)
  })

  it.each(['--dport 080', '--dport http', '--dport 1:080', '--sport :65536', '--sport 0x'])(
    'is kept unchanged after -p tcp: %s',
    (text) => {
      expect(readRule(`-p tcp ${text}`).matches).toEqual([
        { kind: 'protocol', protocol: 'tcp', negated: false },
        { kind: 'unknown', words: text.split(' ') },
      ])
    },
  )

  it.each(['-j DNAT --to-destination', '-j DNAT'])('stays unchanged in the target %s', (text) => {
    expect(readRule(text)).toEqual({ chain: 'T', matches: [], target: { kind: 'unknown', words: text.split(' ') } })
  })
})

describe('an option without its required value', () => {
  it.each([
    '-s',
    '! -d',
    '-i',
    '--out-interface',
    '-p',
    '-p tcp --dport',
    '-p udp --source-port',
    '-m',
    '! -m',
    '-m comment --comment',
    '-m mark --mark',
    '-m mark ! --mark',
    '-m conntrack --ctstate',
    '-m addrtype --src-type',
    '-m statistic --mode',
    '-m statistic --mode random --probability',
    '-m recent --rcheck --seconds',
    '-m recent --set --name',
    '-m nfacct --nfacct-name',
    '-m set --match-set',
    '-m ipvs --vaddr',
    '-m ipvs --vaddr 10.0.0.1 --vproto',
    '-m ipvs --vaddr 10.0.0.1 --vproto 6 --vport',
    '-j',
    '--goto',
  ])('causes a problem at the end of the rule %s', (text) => {
    const column = `-A T ${text}`.lastIndexOf(' ') + 2
    for (const before of text.startsWith('-j') || text.startsWith('--goto') ? [''] : ['', '-j ACCEPT ', '-g T ']) {
      const result = parseIptables(`*nat\n:T - [0:0]\n-A T ${before}${text}\nCOMMIT\n`, 'IPv4')
      expect(result).toMatchObject({
        ok: false,
        problems: [{ code: 'missingValue', line: 3, column: column + before.length }],
      })
    }
  })
})

describe('a negation without an operand', () => {
  it.each(['!', '-m limit !', '-j ACCEPT -m set !'])('causes a problem at the end of the rule %s', (text) => {
    const result = parseIptables(`*nat\n:T - [0:0]\n-A T ${text}\nCOMMIT\n`, 'IPv4')
    expect(result).toMatchObject({ ok: false, problems: [{ code: 'unexpectedWord', column: 5 + text.length }] })
  })
})

describe('a command without its chain', () => {
  it.each(['-X', '-A', '-X ""', '-A ""'])('causes a problem: %s', (text) => {
    const result = parseIptables(`*nat\n:T - [0:0]\n${text}\nCOMMIT\n`, 'IPv4')
    expect(result).toMatchObject({ ok: false, problems: [{ code: 'missingChain', line: 3 }] })
  })
})
