import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readRule } from '../../../../../compiler/test/dataplane/iptables/read-rule.js'
import { passage } from '../../../../../compiler/test/support/passages.js'
import { evaluateMatches } from '../../../../src/dataplane/iptables/evaluate/evaluate-matches.js'
import { indexRules } from '../../../../src/dataplane/iptables/evaluate/rule-index.js'

const RULES = [
  ...['-d 10.96.0.1', '-d 10.96.0.1/32', '-d 10.96.0.0/16', '! -d 10.96.0.1', '-d 10.96.0.2/32', ''],
  ...['--dport 80', '! --dport 80', '--dport 80:90', '--dport 443'].map((port) => `-p tcp -m tcp ${port}`),
  ...['-d 10.96.0.1 -p tcp -m tcp --dport 443', '-d 10.96.0.2 -p tcp -m tcp --dport 80', '-m comment --comment x'],
].map((words) => ({ rule: readRule(`${words} -j ACCEPT`), owner: words }))

const rules = fc.array(fc.constantFrom(...RULES), { minLength: 16, maxLength: 40 })
const destinations = fc.constantFrom('10.96.0.1', '10.96.0.2', '203.0.113.2')
const ports = fc.constantFrom(80, 85, 443)

it('the index of a chain finds every matching rule, in order', () => {
  fc.assert(
    fc.property(rules, destinations, ports, (chain, destination, destinationPort) => {
      const at = passage({ destination, destinationPort })
      const matching = (list: typeof chain) => list.filter(({ rule }) => evaluateMatches(rule.matches, at) !== 'no')
      expect(matching([...indexRules(chain)(at.packet)])).toEqual(matching(chain))
    }),
  )
})
