import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printRestore } from '../../../../../compiler/src/dataplane/iptables/print/print.js'
import { printSave } from '../../../../../compiler/src/dataplane/iptables/print/print-save.js'
import { readState } from '../../../../../compiler/test/dataplane/iptables/read-rule.js'
import { canonicalizeState } from '../../../support/canonical-state.js'

// Rules in the grammar of iptables with modules, options and targets that this library does not know.

const bare = fc.stringMatching(/^[A-Za-z0-9_.,:/%+=@~^*?;&|<>$(){}[\]'#-]{1,16}$/).filter((word) => !/^[-#]/.test(word))
const quoted = fc
  .string({ unit: fc.oneof(fc.constantFrom(' ', '\\"', '\\\\', "'", '-j', '!', '#', '*nat', ':A', 'é'), fc.string()) })
  .map((text) => `"${text.replace(/\p{Cc}/gu, '').replace(/(?<!\\)((?:\\\\)*)"/g, '$1')}"`)
  .filter((word) => /^"(?:[^"\\]|\\.)*"$/s.test(word))
const value = fc.oneof({ weight: 2, arbitrary: bare }, quoted)

const option = fc
  .tuple(fc.boolean(), fc.stringMatching(/^x-[a-z0-9-]{1,10}$/), fc.array(value, { maxLength: 3 }))
  .map(([negated, name, values]) => [...(negated ? ['!'] : []), `--${name}`, ...values])

const match = fc
  .tuple(fc.stringMatching(/^x[a-z0-9_]{1,10}$/), fc.array(option, { maxLength: 3 }))
  .map(([name, options]) => ['-m', name, ...options.flat()])

const target = fc
  .tuple(fc.constantFrom('LOG', 'NFLOG', 'SNAT', 'TPROXY', 'CT', 'TCPMSS'), fc.array(option, { maxLength: 3 }))
  .map(([name, options]) => ['-j', name, ...options.flat()])

const rule = fc
  .tuple(fc.array(match, { maxLength: 4 }), fc.option(target, { nil: [] }))
  .map(([matches, target]) => ['-A', 'MINE', ...matches.flat(), ...target].join(' '))

const lines = fc.array(rule, { minLength: 1, maxLength: 4 })

const textOf = (rules: readonly string[]) => `*nat\n:MINE - [0:0]\n${rules.map((line) => `${line}\n`).join('')}COMMIT\n`

describe('a rule of another program', () => {
  it('stays the same after it is printed and parsed, in both formats', () => {
    fc.assert(
      fc.property(lines, (rules) => {
        const state = readState(textOf(rules))
        expect(printRestore(state)).toBe(textOf(rules))
        const saved = printSave(state, { backend: 'nft' })
        expect(saved.split('\n').filter((line) => line.startsWith('-A'))).toEqual(rules)
        expect(canonicalizeState(readState(saved))).toEqual(canonicalizeState(state))
      }),
      { numRuns: 500 },
    )
  })
})
