import { UsageError } from '@kube-rules/application/messages'
import { describe, expect, it } from 'vitest'
import type { OptionTable } from '../../src/options/option.js'
import { assertNoOperands, parseArguments } from '../../src/options/parse-arguments.js'

const table = {
  filename: { type: 'string', short: 'f', multiple: true, description: 'Files.' },
  mode: { type: 'string', choices: ['iptables', 'ipvs'], description: 'Mode.' },
  node: { type: 'string', description: 'Node.' },
  family: { type: 'string', choices: ['4', '6'], alsoWritten: { ipv4: '4', ipv6: '6' }, description: 'Family.' },
  strict: { type: 'boolean', description: 'Strict.' },
} as const satisfies OptionTable

describe('parseArguments', () => {
  it('returns a value for every option, whether the command line contains it or not', () => {
    expect(parseArguments(table, [])).toEqual({
      values: { filename: [], mode: undefined, node: undefined, family: undefined, strict: false },
      operands: [],
    })
  })

  it('parses short, long, joined and repeated options', () => {
    const { values } = parseArguments(table, ['-f', '-', '-fb.yaml', '--filename=c', '--mode', 'ipvs', '--strict'])
    expect(values).toMatchObject({ filename: ['-', 'b.yaml', 'c'], mode: 'ipvs', node: undefined, strict: true })
  })

  it('replaces aliases of choices, in upper or lower case', () => {
    const familyOf = (value: string) => parseArguments(table, ['--family', value]).values.family
    expect(['4', 'IPv4', 'ipv6', 'IPV6'].map(familyOf)).toEqual(['4', '4', '6', '6'])
  })

  it('uses the last of several values of an option that takes one value', () => {
    expect(parseArguments(table, ['--node', 'a', '--node', 'b']).values.node).toBe('b')
  })

  it('accepts a value that starts with a dash only if it follows an equals sign', () => {
    expect(parseArguments(table, ['--node=-x']).values.node).toBe('-x')
  })

  it('returns operands, including every argument after --', () => {
    expect(parseArguments(table, ['a', '--strict', 'b', '--', '-f']).operands).toEqual(['a', 'b', '-f'])
  })

  it.each([
    [['--frob'], 'unknown option --frob'],
    [['-x'], 'unknown option -x'],
    [['--filname', 'a'], 'unknown option --filname; did you mean --filename?'],
    [['--Strict'], 'unknown option --Strict; did you mean --strict?'],
    [['--family', 'IPv5'], 'option --family is IPv5; expected 4, 6'],
    [['--family', 'constructor'], 'option --family is constructor; expected 4, 6'],
    [['--__proto__'], 'unknown option --__proto__'],
    [['--constructor=1'], 'unknown option --constructor'],
    [['-f'], 'option -f needs a value'],
    [['--node', ''], 'option --node needs a value'],
    [['--node='], 'option --node needs a value'],
    [['-f', '--strict'], 'option -f needs a value, and --strict looks like an option'],
    [['--mode', 'nftables'], 'option --mode is nftables; expected iptables, ipvs'],
    [['--strict=yes'], 'option --strict takes no value'],
  ])('rejects the arguments %j', (args, message) => {
    expect(() => parseArguments(table, args)).toThrow(new UsageError(message))
  })
})

describe('assertNoOperands', () => {
  it('reports the first operand as an error', () => {
    expect(() => assertNoOperands(['x', 'b.yaml'])).toThrow(new UsageError('unexpected argument x'))
  })

  it('adds a hint about how to pass objects', () => {
    for (const word of ['./a', '../a', '/a/b', 'manifests/', 'a.json', 'a.yml']) {
      expect(() => assertNoOperands([word])).toThrow(
        `unexpected argument ${word}; objects are given with -f: -f ${word}`,
      )
    }
    const message = "unexpected argument a b.yaml; objects are given with -f: -f 'a b.yaml'"
    expect(() => assertNoOperands(['a b.yaml', 'c.yaml'])).toThrow(new UsageError(message))
    expect(() => assertNoOperands([])).not.toThrow()
  })
})
