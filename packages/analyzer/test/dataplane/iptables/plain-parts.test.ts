import { describe, expect, it } from 'vitest'
import type { Table } from '../../../../compiler/src/dataplane/iptables/ast.js'
import { readState } from '../../../../compiler/test/dataplane/iptables/read-rule.js'
import { splitTableByDestination } from '../../../src/dataplane/iptables/plain-parts.js'

function tableOf(...lines: readonly string[]): Table {
  const chains = ['A', 'B', 'MARKED', 'SERVICES'].map((chain) => `:${chain} - [0:0]`)
  const [table] = readState(['*nat', ...chains, ...lines, 'COMMIT\n'].join('\n')).tables
  return table as Table
}

/** Returns the addresses and the chains of each part. */
function partsOf(...lines: readonly string[]) {
  return splitTableByDestination(tableOf(...lines)).parts.map(({ destinations, names }) => [destinations, names])
}

describe('parts of a parsed table', () => {
  const toServices = '-A PREROUTING -j SERVICES'

  it('contain the chains that only rules for the address of the part call', () => {
    expect(
      partsOf(
        ...[toServices, '-A SERVICES -d 10.96.0.1/32 -j B', '-A B -j A', '-A A -j DNAT --to-destination 10.244.0.1:80'],
        '-A SERVICES -d 10.96.0.2/32 -j DROP',
      ),
    ).toEqual([
      [['10.96.0.1'], ['B', 'A']],
      [['10.96.0.2'], []],
    ])
  })

  it('have several addresses if rules for each of these addresses call the same chain', () => {
    expect(
      partsOf(
        toServices,
        '-A SERVICES -d 10.96.0.1/32 -j A',
        '-A SERVICES -d 10.96.0.2/32 -j B',
        '-A B -j A',
        '-A A -j ACCEPT',
      ),
    ).toEqual([
      [
        ['10.96.0.1', '10.96.0.2'],
        ['A', 'B'],
      ],
    ])
  })

  it.each([
    [
      'a chain that is called by a rule for any address',
      ['-A SERVICES -d 10.96.0.1/32 -j A', '-A SERVICES -j A', '-A A -j ACCEPT'],
    ],
    [
      'a chain that is called indirectly by a rule for any address',
      ['-A SERVICES -d 10.96.0.1/32 -j A', '-A SERVICES -j B', '-A B -j A', '-A A -j ACCEPT'],
    ],
    ['a chain that only sets a mark', ['-A SERVICES -d 10.96.0.1/32 -j MARKED', '-A MARKED -j MARK --or-mark 0x4000']],
  ])('do not contain %s', (_, lines) => {
    expect(partsOf(toServices, ...lines)).toEqual([[['10.96.0.1'], []]])
  })

  it('do not contain rules that match several addresses', () => {
    expect(partsOf('-A PREROUTING -d 10.96.0.0/16 -j DROP', '-A PREROUTING ! -d 10.96.0.1/32 -j DROP')).toEqual([])
  })

  it('are equal if only the names and the order of their chains differ', () => {
    const textOf = (...lines: readonly string[]) => {
      const [part] = splitTableByDestination(tableOf(...lines)).parts
      return JSON.stringify(part?.value()).replaceAll(/"(A|B)"/g, (_, name) => `"#${part?.names.indexOf(name)}"`)
    }
    const one = textOf(toServices, '-A SERVICES -d 10.96.0.1/32 -j A', '-A A -j B', '-A B -j ACCEPT')
    expect(textOf(toServices, '-A SERVICES -d 10.96.0.1/32 -j B', '-A B -j A', '-A A -j ACCEPT')).toBe(one)
    expect(textOf(toServices, '-A SERVICES -d 10.96.0.1/32 -j A', '-A A -j ACCEPT')).not.toBe(one)
  })

  it('differ if their rules are on different sides of a rule for any address', () => {
    const textOf = (...lines: readonly string[]) =>
      JSON.stringify(splitTableByDestination(tableOf(...lines)).parts[0]?.value())
    const [drop, accept] = ['-A PREROUTING -d 10.96.0.1/32 -j DROP', '-A PREROUTING -p tcp -j ACCEPT']
    expect(textOf(drop, accept)).not.toBe(textOf(accept, drop))
  })
})
