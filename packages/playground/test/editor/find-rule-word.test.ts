import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRuleWords } from '../../builder/read-rule-words.js'
import { findRuleWord } from '../../src/editor/find-rule-word.js'

const WORDS = readRuleWords(readFileSync(new URL('../../../../docs/reference/rule-words.md', import.meta.url), 'utf8'))

const RULE =
  '-A KUBE-SVC-BZLGMOB35QVMRT4I -m comment --comment "default/web -> 10.244.2.93:80" -m statistic --mode random --probability 0.33333333349 -j KUBE-SEP-B2RVQG5QQZYYZBFK'

/** Returns the found text and its meaning at the first occurrence of `at`. */
function meaningAt(line: string, at: string, language: 'yaml' | 'rules' = 'rules') {
  const found = findRuleWord(line, line.indexOf(at) + 1, language, WORDS)
  return found && [line.slice(found.from, found.to), found.meaning]
}

describe('findRuleWord', () => {
  it.each([
    ['-A', 'Appends a rule to a chain.'],
    ['KUBE-SVC-BZLGMOB35QVMRT4I', 'One service port: chooses one of all endpoints.'],
    ['KUBE-SEP-B2RVQG5QQZYYZBFK', 'One endpoint: replaces the destination by its address.'],
  ])('finds %s in a rule', (word, meaning) => {
    expect(meaningAt(RULE, word)).toEqual([word, meaning])
  })

  it('finds the longest of several words that match', () => {
    const line = '-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP'
    expect(meaningAt(line, '--ctstate')?.[0]).toBe('--ctstate INVALID')
    expect(meaningAt('-A A -m conntrack --ctstate NEW -j DROP', '--ctstate')?.[0]).toBe('--ctstate')
  })

  it('returns different meanings of the same option for different tools', () => {
    expect(meaningAt('-A -t 10.96.0.2:443 -s rr', '-A')?.[1]).toMatch(/^Adds a virtual server/)
    expect(meaningAt('add rule ip kube-proxy services ip daddr @cluster-ips drop', 'ip daddr')?.[1]).toBe(
      'The destination address.',
    )
    expect(meaningAt(':KUBE-NODEPORTS - [0:0]', 'KUBE')?.[0]).toBe('KUBE-NODEPORTS')
  })

  it('finds the fields of YAML and JSON, but not their values', () => {
    expect(meaningAt('    nodePort: 30080', 'nodePort', 'yaml')?.[0]).toBe('nodePort')
    expect(meaningAt('{"nodePort": 30080}', 'nodePort', 'yaml')?.[0]).toBe('"nodePort"')
    expect(meaningAt('name: nodePort', 'nodePort', 'yaml')).toBeUndefined()
    expect(meaningAt('healthCheckNodePort: 1', 'NodePort', 'yaml')?.[0]).toBe('healthCheckNodePort')
  })

  it('finds nothing if the word has no meaning', () => {
    expect(meaningAt(RULE, 'default/web')).toBeUndefined()
    expect(findRuleWord('', 0, 'rules', WORDS)).toBeUndefined()
  })

  it('defines each word exactly once', () => {
    expect(Object.keys(WORDS)).toEqual([
      'iptables',
      'Chains of kube-proxy',
      'nftables',
      'ipvsadm',
      'Fields of a Service',
    ])
    for (const rows of Object.values(WORDS)) {
      expect(rows.length).toBeGreaterThan(5)
      expect(new Set(rows.map(([word]) => word)).size).toBe(rows.length)
      for (const [, meaning] of rows) expect(meaning).toMatch(/\.$/)
    }
  })

  it('returns a range around the column for any text', () => {
    const known = Object.values(WORDS).flatMap((rows) => rows.map(([word]) => word.replace('*', 'ABC')))
    const lines = fc
      .array(fc.oneof(fc.constantFrom(...known, ':', '"'), fc.string()), { maxLength: 8 })
      .map((words) => words.join(' '))
    let count = 0
    fc.assert(
      fc.property(lines, fc.nat(100), fc.constantFrom('yaml', 'rules'), (line, column, language) => {
        const found = findRuleWord(line, column, language, WORDS)
        if (found === undefined) return
        count++
        expect(found.from).toBeLessThanOrEqual(column)
        expect(found.to).toBeGreaterThanOrEqual(column)
        expect(found.to).toBeLessThanOrEqual(line.length)
      }),
      { numRuns: 300 },
    )
    expect(count).toBeGreaterThan(5)
  })
})
