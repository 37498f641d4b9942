import { describe, expect, it } from 'vitest'
import type { Rule } from '../../../../src/dataplane/iptables/ast.js'
import { parseIptables } from '../../../../src/dataplane/iptables/parse/parse.js'
import { printRule } from '../../../../src/dataplane/iptables/print/print.js'
import { readRule } from '../read-rule.js'

function words(...texts: readonly string[]): Rule['matches'] {
  return [{ kind: 'unknown', words: texts }]
}

describe('an option without its value, or with one that it cannot have, stays as it is', () => {
  it.each([
    ['-m recent --rcheck --seconds', words('-m', 'recent', '--rcheck', '--seconds')],
    ['-m recent --rcheck --seconds 0', words('-m', 'recent', '--rcheck', '--seconds', '0')],
    ['-m recent --set --mask 255.255.0.0', words('-m', 'recent', '--set', '--mask', '255.255.0.0')],
    ['-m recent --set --name', words('-m', 'recent', '--set', '--name')],
    ['-m recent --set --rcheck', words('-m', 'recent', '--set', '--rcheck')],
    ['-m recent --update', words('-m', 'recent', '--update')],
    ['-m mark --mark', words('-m', 'mark', '--mark')],
    ['-m ipvs --vaddr', words('-m', 'ipvs', '--vaddr')],
    ['-m ipvs --vaddr 10.0.0.1 --vproto', words('-m', 'ipvs', '--vaddr', '10.0.0.1', '--vproto')],
    [
      '-m ipvs --vaddr 10.0.0.1 --vproto 6 --vport',
      words('-m', 'ipvs', '--vaddr', '10.0.0.1', '--vproto', '6', '--vport'),
    ],
    ['-m', words('-m')],
    ['-s', words('-s')],
  ])('%s', (text, matches) => {
    expect(readRule(text)).toEqual({ chain: 'T', matches })
    expect(printRule(readRule(text), 'restore', 'IPv4')).toBe(`-A T ${text}`)
  })

  it.each(['--dport', '--dport 080', '--dport http', '--dport 1:080', '--sport :65536', '--sport 0x'])(
    '-p tcp %s',
    (text) => {
      expect(readRule(`-p tcp ${text}`).matches).toEqual([
        { kind: 'protocol', protocol: 'tcp', negated: false },
        { kind: 'unknown', words: text.split(' ') },
      ])
    },
  )

  it.each(['-j', '-g', '-j DNAT --to-destination', '-j DNAT'])('%s', (text) => {
    expect(readRule(text)).toEqual({ chain: 'T', matches: [], verdict: { kind: 'unknown', words: text.split(' ') } })
  })
})

describe('a command without its chain', () => {
  it.each(['-X', '-A', '-X ""', '-A ""'])('%s is a problem', (text) => {
    const result = parseIptables(`*nat\n:T - [0:0]\n${text}\nCOMMIT\n`, 'IPv4')
    expect(result).toMatchObject({ ok: false, problems: [{ code: 'missingChain', line: 3 }] })
  })
})
