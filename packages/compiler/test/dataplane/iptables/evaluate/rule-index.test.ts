import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indexRules } from '../../../../src/dataplane/iptables/evaluate/rule-index.js'
import { evaluateMatches } from '../../../../src/dataplane/iptables/matches/matches.js'
import { passage } from '../../../support/passages.js'
import { readRule } from '../read-rule.js'

const RULES = [
  ...['-d 10.96.0.1', '-d 10.96.0.1/32', '-d 10.96.0.0/16', '! -d 10.96.0.1', '-d 10.96.0.2/32', ''],
  ...['--dport 80', '! --dport 80', '--dport 80:90', '--dport 443'].map((port) => `-p tcp -m tcp ${port}`),
  ...['-d 10.96.0.1 -p tcp -m tcp --dport 443', '-d 10.96.0.2 -p tcp -m tcp --dport 80', '-m comment --comment x'],
].map((words) => ({ rule: readRule(`${words} -j ACCEPT`), owner: words }))

const rules = fc.array(fc.constantFrom(...RULES), { minLength: 16, maxLength: 40 })
const destinations = fc.constantFrom('10.96.0.1', '10.96.0.2', '203.0.113.2')
const ports = fc.constantFrom(80, 85, 443)

describe('the index of a chain', () => {
  it('finds every rule that matches, in order', () => {
    fc.assert(
      fc.property(rules, destinations, ports, (chain, destination, destinationPort) => {
        const at = passage({ destination, destinationPort })
        const matching = (list: typeof chain) => list.filter(({ rule }) => evaluateMatches(rule.matches, at) !== 'no')
        expect(matching([...indexRules(chain)(at.packet)])).toEqual(matching(chain))
      }),
    )
  })

  it('takes the network 2001:db8::/32 for no address', () => {
    const chain = Array.from({ length: 16 }, () => ({
      rule: readRule('-d 2001:db8::/32 -j ACCEPT', 'IPv6'),
      owner: '',
    }))
    expect(indexRules(chain)(passage({ destination: '2001:db8::1' }).packet)).toHaveLength(16)
  })

  it('leaves out what wants another address or port', () => {
    const chain = Array.from({ length: 1000 }, (_, index) => ({
      rule: readRule(`-d 10.96.${index >> 8}.${index & 255}/32 -p tcp -m tcp --dport 80 -j ACCEPT`),
      owner: String(index),
    }))
    const { packet } = passage({ destination: '10.96.1.4' })
    expect(indexRules(chain)(packet).map(({ owner }) => owner)).toEqual(['260'])
  })
})
